'use strict';
// The panes of the page. A pane shows one stage in one way: lines of text, a drawing, or a table. It tells the page what the reader
// points at, and lights up what it is told to.

const kRow = 18; // pixels, as in the style sheet
const kMore = 12; // lines drawn beyond what is seen
const kMarks = ['near', 'lit', 'pinnedNear', 'pinned', 'hit'];

function made(name, attributes, text) {
  const element = document.createElement(name);
  for (const key in attributes || {}) element.setAttribute(key, attributes[key]);
  if (text !== undefined) element.textContent = text;
  return element;
}

function madeSvg(name, attributes, text) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const key in attributes || {}) element.setAttribute(key, attributes[key]);
  if (text !== undefined) element.textContent = text;
  return element;
}

// What is lit in a pane, by kind of mark; the numbers are lines or items.
function noMarks() {
  const marks = {};
  for (const mark of kMarks) marks[mark] = new Set();
  return marks;
}

class TextPane {
  constructor(part, page) {
    this.part = part;
    this.page = page;
    this.name = part.stage;
    this.marks = noMarks();
    this.cursor = 0;
    this.element = made('div', { class: 'view' });
    this.scroll = made('div', { class: 'scroll', tabindex: '0', role: 'listbox', 'aria-label': part.title });
    this.space = made('div', { class: 'space' });
    this.space.style.height = part.lineCount * kRow + 'px';
    this.scroll.append(this.space);
    const ruler = made('div', { class: 'ruler', 'aria-hidden': 'true' });
    this.canvas = made('canvas');
    ruler.append(this.canvas);
    this.element.append(this.scroll, ruler);
    this.rows = new Map();
    this.scroll.addEventListener('scroll', () => this.draw());
    this.scroll.addEventListener('mousemove', (event) => this.point(event));
    this.scroll.addEventListener('mouseleave', () => page.hover(null));
    this.scroll.addEventListener('click', (event) => this.click(event));
    this.scroll.addEventListener('keydown', (event) => this.key(event));
    ruler.addEventListener('click', (event) => {
      const share = event.offsetY / ruler.clientHeight;
      this.scroll.scrollTop = share * this.part.lineCount * kRow - this.scroll.clientHeight / 2;
    });
  }

  // The items that stand at an event's place: an expression of the program, or what the line belongs to.
  itemsAt(event) {
    const row = event.target.closest('.row');
    if (!row) return null;
    const line = Number(row.dataset.line);
    const span = event.target.closest('[data-item]');
    return { line, items: span ? [Number(span.dataset.item)] : this.itemsOf(line) };
  }
  itemsOf(line) {
    const item = this.part.lineItem(line);
    return item === kNone ? [] : [item];
  }
  point(event) {
    const at = this.itemsAt(event);
    this.page.hover(at && at.items.length ? { stage: this.part.stage, items: at.items } : null);
  }
  click(event) {
    const at = this.itemsAt(event);
    if (!at) return;
    this.cursor = at.line;
    this.page.pin(at.items.length ? { stage: this.part.stage, items: at.items, line: at.line } : null, this);
    this.draw();
  }
  key(event) {
    const page = Math.max(1, Math.floor(this.scroll.clientHeight / kRow) - 1);
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.key in moves) this.goTo(this.cursor + moves[event.key]);
    else if (event.key === ']' || event.key === '[') this.goToLit(event.key === ']' ? 1 : -1);
    else if (event.key === 'Enter' || event.key === ' ') {
      const items = this.itemsOf(this.cursor);
      this.page.pin(items.length ? { stage: this.part.stage, items, line: this.cursor } : null, this);
    } else return;
    event.preventDefault();
  }
  goTo(line) {
    this.cursor = Math.max(0, Math.min(this.part.lineCount - 1, line));
    this.show(this.cursor);
    const items = this.itemsOf(this.cursor);
    this.page.hover(items.length ? { stage: this.part.stage, items } : null);
    this.draw();
  }
  goToLit(direction) {
    const lit = [...this.marks.pinned, ...this.marks.pinnedNear].sort((a, b) => a - b);
    const next = direction > 0 ? lit.find((line) => line > this.cursor) : lit.reverse().find((line) => line < this.cursor);
    if (next !== undefined) this.goTo(next);
  }
  show(line) {
    const top = line * kRow;
    const height = this.scroll.clientHeight;
    if (top < this.scroll.scrollTop || top + kRow > this.scroll.scrollTop + height)
      this.scroll.scrollTop = Math.max(0, top - height / 3);
  }

  light(kind, set) {
    this.marks[kind] = new Set(set.lines);
    this.marks[kind === 'lit' ? 'near' : 'pinnedNear'] = new Set(set.nearLines);
    this.refresh();
  }
  lightHits(hits) { this.marks.hit = new Set(hits); this.refresh(); }
  showFirst(kind) {
    const lines = this.marks[kind].size ? this.marks[kind] : this.marks.pinnedNear;
    if (!lines.size) return;
    const isSeen = [...lines].some((line) => line * kRow >= this.scroll.scrollTop &&
                                             (line + 1) * kRow <= this.scroll.scrollTop + this.scroll.clientHeight);
    if (!isSeen) this.show(Math.min(...lines.values()));
  }
  litCount(kind) { return this.marks[kind].size; }
  refresh() {
    for (const row of this.rows.values()) row.remove();
    this.rows.clear();
    this.draw();
    this.drawRuler();
  }

  draw() {
    const first = Math.max(0, Math.floor(this.scroll.scrollTop / kRow) - kMore);
    const last = Math.min(this.part.lineCount, first + Math.ceil((this.scroll.clientHeight || 600) / kRow) + 2 * kMore);
    for (const [line, row] of this.rows) if (line < first || line >= last) { row.remove(); this.rows.delete(line); }
    for (let line = first; line < last; ++line) {
      if (!this.rows.has(line)) this.rows.set(line, this.space.appendChild(this.rowOf(line)));
      this.rows.get(line).classList.toggle('cursor', line === this.cursor);
    }
    const row = this.rows.get(this.cursor);
    if (row) this.scroll.setAttribute('aria-activedescendant', row.id);
  }
  rowOf(line) {
    const row = made('div', { class: 'row', role: 'option', id: `${this.name}-${line + 1}`, 'aria-setsize': this.part.lineCount,
                              'aria-posinset': line + 1, 'data-line': line });
    for (const mark of kMarks) if (this.marks[mark].has(line)) row.classList.add(mark);
    row.setAttribute('aria-selected', String(this.marks.pinned.has(line)));
    if (this.part.lineHasTag(line, 'comment')) row.classList.add('comment');
    row.style.top = line * kRow + 'px';
    row.append(made('i', { 'aria-hidden': 'true' }, String(line + 1)));
    this.fill(row, line);
    return row;
  }
  fill(row, line) { row.append(this.part.lineText(line)); }
  drawRuler() {
    const height = Math.max(1, this.canvas.clientHeight || 300);
    this.canvas.width = 9;
    this.canvas.height = height;
    const context = this.canvas.getContext('2d');
    const colors = getComputedStyle(document.documentElement);
    const paint = (lines, color) => {
      context.fillStyle = colors.getPropertyValue(color);
      for (const line of lines) context.fillRect(1, (line / Math.max(1, this.part.lineCount)) * height, 7, 2);
    };
    paint(this.marks.hit, '--hit');
    paint(this.marks.pinned, '--accent');
    paint(this.marks.lit, '--halo');
  }
}

// The program: each expression of a line is an item of its own. Columns of places count bytes of UTF-8.
class ProgramPane extends TextPane {
  constructor(part, page) {
    super(part, page);
    this.itemsByLine = new Map();
    for (let i = 0; i < part.itemCount; ++i) {
      const place = part.listOf('place', i);
      for (let line = place[0]; place.length && line <= place[2]; ++line) {
        if (!this.itemsByLine.has(line)) this.itemsByLine.set(line, []);
        this.itemsByLine.get(line).push(i);
      }
    }
  }
  // The smallest expression at each place of the line.
  fill(row, line) {
    const text = this.part.lineText(line);
    const items = this.itemsByLine.get(line + 1) || [];
    const size = (i) => { const p = this.part.listOf('place', i); return (p[2] - p[0]) * 1e6 + (p[3] - p[1]); };
    const bySize = items.slice().sort((a, b) => size(b) - size(a));
    const owner = new Array(text.length).fill(kNone);
    const bytes = [];
    let byte = 1;
    for (const c of text) {
      for (let k = 0; k < c.length; ++k) bytes.push(byte);
      const point = c.codePointAt(0);
      byte += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    }
    for (const i of bySize) {
      const place = this.part.listOf('place', i);
      for (let k = 0; k < text.length; ++k) {
        const isIn = (place[0] < line + 1 || bytes[k] >= place[1]) && (place[2] > line + 1 || bytes[k] < place[3]);
        if (isIn) owner[k] = i;
      }
    }
    for (let begin = 0; begin < text.length;) {
      let end = begin;
      while (end < text.length && owner[end] === owner[begin]) ++end;
      const piece = text.slice(begin, end);
      if (owner[begin] === kNone) row.append(piece);
      else row.append(made(this.items && this.items.has(owner[begin]) ? 'b' : 'span', { 'data-item': owner[begin] }, piece));
      begin = end;
    }
  }
  light(kind, set) {
    if (kind === 'lit' || !this.items) this.items = new Set(set.items);
    super.light(kind, set);
  }
}

// Rows that are items: kernels with their times, decisions.
class TablePane {
  // rows: [{item, cells: [text or element]}]; columns: [{title, isNumber}]
  constructor(part, page, columns, rows) {
    this.part = part;
    this.page = page;
    this.marks = noMarks();
    this.element = made('div', { class: 'view' });
    const scroll = made('div', { class: 'scroll', tabindex: '0' });
    this.scroll = scroll;
    const table = made('table');
    const head = table.createTHead().insertRow();
    for (const column of columns) head.append(made('th', { scope: 'col', class: column.isNumber ? 'number' : '' }, column.title));
    const body = table.createTBody();
    this.rows = rows.map((row) => {
      const line = body.insertRow();
      row.cells.forEach((cell, k) => {
        const td = line.insertCell();
        if (columns[k].isNumber) td.className = 'number';
        td.append(cell);
      });
      if (row.item === undefined) return { line, item: kNone };
      line.tabIndex = -1;
      const target = { stage: part.stage, items: [row.item] };
      line.addEventListener('mouseenter', () => page.hover(target));
      line.addEventListener('mouseleave', () => page.hover(null));
      line.addEventListener('click', () => page.pin(target, this));
      line.addEventListener('keydown', (event) => {
        if (event.key === 'Enter') page.pin(target, this);
        else if (event.key === 'ArrowDown' && line.nextElementSibling) line.nextElementSibling.focus();
        else if (event.key === 'ArrowUp' && line.previousElementSibling) line.previousElementSibling.focus();
        else return;
        event.preventDefault();
      });
      line.addEventListener('focus', () => page.hover(target));
      return { line, item: row.item };
    });
    scroll.addEventListener('keydown', (event) => {
      if (event.target !== scroll || event.key !== 'ArrowDown' || !this.rows.length) return;
      this.rows[0].line.focus();
      event.preventDefault();
    });
    scroll.append(table);
    this.element.append(scroll);
  }
  light(kind, set) {
    this.marks[kind] = new Set(set.items);
    this.marks[kind === 'lit' ? 'near' : 'pinnedNear'] = new Set(set.near);
    for (const row of this.rows) for (const mark of kMarks) row.line.classList.toggle(mark, this.marks[mark].has(row.item));
  }
  lightHits() {}
  showFirst(kind) {
    const row = this.rows.find((one) => this.marks[kind].has(one.item));
    if (row && !this.element.hidden) row.line.scrollIntoView({ block: 'nearest' });
  }
  litCount(kind) { return this.rows.filter((row) => this.marks[kind].has(row.item)).length; }
  refresh() {}
}
