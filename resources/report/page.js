'use strict';
// The page: reads the data, places the panes, and passes on what the reader points at, keeps and searches.

function timeText(nanoseconds) {
  if (nanoseconds === undefined) return '';
  const units = [['s', 1e9], ['ms', 1e6], ['\u00b5s', 1e3]];
  for (const [unit, size] of units) if (nanoseconds >= size) return `${(nanoseconds / size).toPrecision(3)} ${unit}`;
  return `${nanoseconds} ns`;
}

function amountText(amount) {
  if (!amount) return '0';
  for (const [unit, size] of [['G', 1e9], ['M', 1e6], ['k', 1e3]]) if (amount >= size) return `${(amount / size).toPrecision(3)} ${unit}`;
  return String(amount);
}

class Page {
  constructor(data) {
    this.report = data.report;
    this.stages = new ReportStages(data.report);
    this.panes = [];
    this.cells = [];
    this.hovered = null;
    this.pinned = null;
    this.hits = [];
    this.hit = -1;
    const main = document.querySelector('main');
    const texts = (stage, title) => ({ title, make: (part) => (stage === 'program' ? new ProgramPane(part, this) : new TextPane(part, this)), stage });
    const drawing = (stage, title) => ({
      title, stage, make: (part) => (data.drawings[stage] ? new DrawingPane(part, this, data.drawings[stage]) : null) });
    this.addCell(main, [texts('program', 'Program'), { title: 'Passes', stage: 'program', make: (part) => this.passes(part) },
                        { title: 'Messages', stage: 'program', make: (part) => this.messages(part) }]);
    this.addCell(main, [drawing('graph', 'Graph'), texts('graph', 'Graph text')]);
    this.addCell(main, [{ title: 'Timings', stage: 'schedule', make: (part) => this.timings(part) }, drawing('schedule', 'Kernels'),
                        { title: 'Decisions', stage: 'schedule', make: (part) => this.decisions(part) }, texts('schedule', 'Schedule')]);
    this.addCell(main, [texts('lowered', 'Lowered'), texts('loops', 'Loops')]);
    this.addCell(main, [texts('code', 'Source')]);
    this.addCell(main, [texts('machine', 'Machine code')]);
    for (const cell of this.cells) if (cell.tabs.length) this.select(cell, 0);
    this.listen();
    this.openFragment();
  }

  // A cell of the page holds panes, one of which is seen.
  addCell(main, wanted) {
    const section = main.appendChild(made('section', { class: 'pane' }));
    const bar = section.appendChild(made('div', { class: 'tabs', role: 'tablist' }));
    const cell = { section, tabs: [], current: 0 };
    for (const { title, stage, make } of wanted) {
      const part = this.stages.parts.get(stage);
      const pane = part && make(part);
      if (!pane) continue;
      const id = `pane-${this.panes.length}`;
      const button = made('button', { type: 'button', role: 'tab', 'aria-controls': id, id: `${id}-tab` }, title);
      const count = button.appendChild(made('span', { class: 'count' }));
      const hits = button.appendChild(made('span', { class: 'hits' }));
      pane.element.id = id;
      pane.element.setAttribute('role', 'tabpanel');
      pane.element.setAttribute('aria-labelledby', button.id);
      pane.element.dataset.pane = title;
      const number = cell.tabs.length;
      button.addEventListener('click', () => this.select(cell, number));
      button.addEventListener('keydown', (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        this.select(cell, (number + step + cell.tabs.length) % cell.tabs.length);
        cell.tabs[cell.current].button.focus();
      });
      bar.append(button);
      section.append(pane.element);
      const tab = { pane, button, count, hits, cell, number };
      cell.tabs.push(tab);
      this.panes.push(tab);
    }
    if (cell.tabs.length) this.cells.push(cell);
    else section.remove();
  }
  select(cell, number) {
    cell.current = number;
    cell.tabs.forEach((tab, k) => {
      tab.button.setAttribute('aria-selected', String(k === number));
      tab.button.tabIndex = k === number ? 0 : -1;
      tab.pane.element.hidden = k !== number;
    });
    cell.tabs[number].pane.refresh();
    if (this.pinned) cell.tabs[number].pane.showFirst('pinned');
  }

  timings(part) {
    const kernels = this.report.kernels;
    const timeOf = (kernel) => (kernel.once ? 0 : kernel.median_ns || 0); // in a run
    const whole = kernels.reduce((sum, kernel) => sum + timeOf(kernel), 0);
    const rows = kernels.map((kernel, item) => {
      const share = made('div', { class: 'share' });
      share.style.width = whole && !kernel.once ? `${Math.max(1, (100 * timeOf(kernel)) / whole)}%` : '0';
      const name = made('div', {}, kernel.name);
      name.append(share);
      const rate = kernel.median_ns ? (kernel.flops / kernel.median_ns).toPrecision(3) : '';
      const spread = kernel.median_ns ? `${timeText(kernel.min_ns)} to ${timeText(kernel.max_ns)}` : '';
      return { item, cells: [name, timeText(kernel.median_ns), kernel.once ? 'once, when loading' : spread,
                             amountText(kernel.flops), rate, `${amountText(kernel.bytes)}B`, String(kernel.nodes)] };
    });
    const number = (title) => ({ title, isNumber: true });
    return new TablePane(part, this, [{ title: 'Kernel' }, number('Median'), number('Least to most'), number('Flop'), number('GFLOP/s'),
                                      number('Memory'), number('Nodes')], rows);
  }
  decisions(part) {
    const rows = [];
    for (let i = 0; i < part.itemCount; ++i) {
      if (!part.hasTag(i, 'decision')) continue;
      const why = made('div');
      for (const [name, value] of part.fields(i)) why.append(made('div', {}, `${name}: ${value}`));
      rows.push({ item: i, cells: [part.label(i), why] });
    }
    return rows.length ? new TablePane(part, this, [{ title: 'Decision' }, { title: 'Why' }], rows) : null;
  }
  passes(part) {
    const rows = this.report.passes.map((pass) => ({ cells: [
      made('div', { title: pass.doc }, pass.title), pass.failed ? 'failed' : pass.changed ? 'changed' : 'no change', String(pass.rewrites),
      timeText(pass.ns), pass.rules.map((rule) => `${rule.rule} ${rule.rewrites}`).join(', ')] }));
    const number = (title) => ({ title, isNumber: true });
    return rows.length ? new TablePane(part, this, [{ title: 'Pass' }, { title: 'Result' }, number('Rewrites'), number('Time'), { title: 'Rules' }], rows) : null;
  }
  messages(part) {
    const rows = this.report.messages.map((message) => ({ cells: [
      message.severity, `${message.file}${message.place[0] ? `:${message.place[0]}` : ''}`, message.text + (message.hint ? ` (${message.hint})` : '')] }));
    return rows.length ? new TablePane(part, this, [{ title: 'Kind' }, { title: 'Place' }, { title: 'Message' }], rows) : null;
  }

  // target: {stage, items}, or null.
  hover(target) {
    if (JSON.stringify(target) === JSON.stringify(this.hovered)) return;
    this.hovered = target;
    this.light('lit', target);
    this.tell(target || this.pinned);
  }
  // from: the pane where it was done, which does not move.
  pin(target, from) {
    const isSame = this.pinned && target && this.pinned.stage === target.stage && String(this.pinned.items) === String(target.items);
    this.pinned = isSame ? null : target;
    this.light('pinned', this.pinned);
    this.tell(this.pinned);
    const link = this.pinned ? `#select=${this.pinned.stage}:${this.pinned.line === undefined ? '@' + this.pinned.items[0] : this.pinned.line + 1}` : '';
    history.replaceState(null, '', link || location.href.split('#')[0]);
    if (this.pinned) for (const tab of this.panes) if (tab.pane !== from) tab.pane.showFirst('pinned');
  }
  light(kind, target) {
    const none = { items: [], near: [], lines: [], nearLines: [] };
    const sets = target ? this.stages.partnersOf(target.stage, target.items) : new Map();
    for (const tab of this.panes) {
      tab.pane.light(kind, sets.get(tab.pane.part.stage) || none);
      const count = tab.pane.litCount(kind);
      if (kind === 'pinned') tab.pane.element.dataset.pinned = count;
      else tab.pane.element.dataset.lit = count;
      tab.count.textContent = count ? String(count) : '';
    }
  }
  tell(target) {
    const about = document.getElementById('about');
    if (!target) return;
    const part = this.stages.parts.get(target.stage);
    const item = target.items[0];
    const sets = this.stages.partnersOf(target.stage, target.items);
    const counts = [];
    for (const [stage, set] of sets) if (set.items.length) counts.push(`${set.items.length} ${stage}`);
    const fields = made('p', { class: 'muted' });
    for (const [name, value] of part.fields(item)) fields.append(made('span', {}, `${name}: ${value}`));
    about.replaceChildren(made('p', {}, `${part.label(item)}  ${part.detail(item)}   lights up ${counts.join(', ')}`), fields);
  }

  search(wanted) {
    const text = wanted.toLowerCase();
    const isIn = this.report.texts.map((one) => text !== '' && one.toLowerCase().includes(text));
    this.hits = [];
    this.hit = -1;
    for (const tab of this.panes) {
      const { part } = tab.pane;
      const found = [];
      if (tab.pane instanceof TextPane) {
        for (let line = 0; line < part.lineCount; ++line) if (isIn[part.data.lines.text[line]]) found.push(line);
      } else if (tab.pane instanceof DrawingPane) {
        for (const box of tab.pane.boxes) if (isIn[part.column('label', box.item)]) found.push(box.item);
      }
      tab.pane.lightHits(found);
      tab.hits.textContent = found.length ? `${found.length} found` : '';
      for (const at of found) this.hits.push({ tab, at });
    }
    document.getElementById('found').textContent = text === '' ? '' : `${this.hits.length} found`;
    if (this.hits.length) this.goToHit(0);
  }
  goToHit(number) {
    if (!this.hits.length) return;
    this.hit = (number + this.hits.length) % this.hits.length;
    const { tab, at } = this.hits[this.hit];
    if (tab.cell.current !== tab.number) this.select(tab.cell, tab.number);
    tab.pane.goTo(tab.pane instanceof DrawingPane ? tab.pane.boxOfItem.get(at) : at);
    document.getElementById('found').textContent = `${this.hit + 1} of ${this.hits.length}`;
  }

  listen() {
    const search = document.getElementById('search');
    let waiting = 0;
    search.addEventListener('input', () => { clearTimeout(waiting); waiting = setTimeout(() => this.search(search.value), 120); });
    search.addEventListener('keydown', (event) => { if (event.key === 'Enter') this.goToHit(this.hit + (event.shiftKey ? -1 : 1)); });
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') { this.hover(null); if (this.pinned) this.pin(null, null); return; }
      if (event.target === search || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === '/') { search.focus(); event.preventDefault(); }
      if (event.key === 'n') this.goToHit(this.hit + 1);
      if (event.key === 'N') this.goToHit(this.hit - 1);
    });
    window.addEventListener('hashchange', () => this.openFragment());
    window.addEventListener('resize', () => { for (const tab of this.panes) tab.pane.refresh(); });
  }
  // "#select=program:12": line 12 of the program; "#select=graph:@5": item 5 of the graph.
  openFragment() {
    const wanted = /^#select=([a-z]+):(@?)(\d+)$/.exec(location.hash);
    const part = wanted && this.stages.parts.get(wanted[1]);
    if (!part) return;
    const number = Number(wanted[3]);
    const target = { stage: part.stage, items: [number] };
    if (!wanted[2]) {
      target.line = number - 1;
      target.items = target.line >= 0 && target.line < part.lineCount && part.lineItem(target.line) !== kNone ? [part.lineItem(target.line)] : [];
    }
    if (target.items.length && target.items[0] < part.itemCount) { this.pinned = null; this.pin(target, null); }
  }
}

// Bytes in base 64, deflated.
async function unpacked(text) {
  const packed = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Response(stream).text();
}

unpacked(document.getElementById('data').textContent)
  .then((text) => {
    window.stepwell = new Page(JSON.parse(text));
    document.body.dataset.ready = 'yes';
  })
  .catch((error) => {
    document.querySelector('main').replaceChildren(made('p', { class: 'message error' },
      `This browser cannot show the report: ${error.message}. Browsers made since May 2023 can.`));
    document.body.dataset.ready = 'failed';
  });
