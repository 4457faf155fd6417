'use strict';
// A stage as boxes and lines. The places come with the page; the drawing can be moved and scaled.

const kLetter = 7.3; // pixels, of a label
const kSmallLetter = 6.1; // of a detail

function cut(text, width, letter) {
  const most = Math.max(1, Math.floor((width - 14) / letter));
  return text.length <= most ? text : text.slice(0, most - 1) + '\u2026';
}

class DrawingPane {
  // drawing: {items, x, y, width, height (by box), inside (item and box, in turn), edges (by edge: its number of points), points, size}
  constructor(part, page, drawing) {
    this.part = part;
    this.page = page;
    this.marks = noMarks();
    this.cursor = -1;
    this.size = drawing.size;
    this.element = made('div', { class: 'view' });
    this.svg = madeSvg('svg', { tabindex: '0', role: 'group', 'aria-label': `${part.title}, drawing` });
    const lines = this.svg.appendChild(madeSvg('g'));
    let at = 0;
    for (const count of drawing.edges) {
      let path = '';
      for (let k = 0; k < count; ++k, at += 2) path += `${k ? 'L' : 'M'}${drawing.points[at]} ${drawing.points[at + 1]}`;
      lines.append(madeSvg('path', { class: 'edge', d: path }));
    }
    this.boxOfItem = new Map();
    this.boxes = drawing.items.map((item, box) => this.addBox(item, drawing, box));
    for (let k = 0; k + 1 < drawing.inside.length; k += 2) this.boxOfItem.set(drawing.inside[k], drawing.inside[k + 1]);
    this.element.append(this.svg, this.zoomButtons());
    this.window = { x: 0, y: 0, width: this.size[0], height: this.size[1] };
    this.listen();
    this.fit();
  }

  addBox(item, drawing, box) {
    const [x, y, width, height] = [drawing.x[box], drawing.y[box], drawing.width[box], drawing.height[box]];
    const group = madeSvg('g', { class: 'box', role: 'img', 'aria-label': `${this.part.label(item)} ${this.part.detail(item)}` });
    group.append(madeSvg('rect', { x, y, width, height, rx: 4 }));
    const kernel = this.part.kernel(item);
    if (kernel !== kNone) group.append(madeSvg('rect', { x, y, width: 4, height, rx: 2, stroke: 'none' }));
    if (kernel !== kNone) group.lastChild.setAttribute('class', `k${kernel % 12}`);
    group.append(madeSvg('text', { x: x + 9, y: y + 15 }, cut(this.part.label(item), width, kLetter)));
    if (this.part.detail(item))
      group.append(madeSvg('text', { class: 'detail', x: x + 9, y: y + 28 }, cut(this.part.detail(item), width, kSmallLetter)));
    group.append(madeSvg('title', {}, `${this.part.label(item)}\n${this.part.detail(item)}`));
    const target = { stage: this.part.stage, items: [item] };
    group.addEventListener('mouseenter', () => this.page.hover(target));
    group.addEventListener('mouseleave', () => this.page.hover(null));
    group.addEventListener('click', () => { this.cursor = box; if (!this.wasMoved) this.page.pin(target, this); });
    this.boxOfItem.set(item, box);
    this.svg.append(group);
    return { group, item, x, y, width, height };
  }

  zoomButtons() {
    const bar = made('div', { class: 'zoom' });
    const add = (text, label, action) => {
      const button = made('button', { type: 'button', 'aria-label': label, title: label }, text);
      button.addEventListener('click', action);
      bar.append(button);
    };
    add('+', 'Larger', () => this.zoom(0.8));
    add('\u2212', 'Smaller', () => this.zoom(1.25));
    add('Fit', 'Fit the drawing', () => this.fit());
    return bar;
  }

  listen() {
    this.svg.addEventListener('wheel', (event) => {
      event.preventDefault();
      const place = this.placeOf(event);
      this.zoom(event.deltaY > 0 ? 1.15 : 0.87, place);
    }, { passive: false });
    let from = null;
    this.svg.addEventListener('pointerdown', (event) => { from = { x: event.clientX, y: event.clientY, window: { ...this.window } }; this.wasMoved = false; });
    window.addEventListener('pointerup', () => { from = null; });
    window.addEventListener('pointermove', (event) => {
      if (!from) return;
      const scale = this.scale();
      const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
      if (Math.abs(dx) + Math.abs(dy) > 4) this.wasMoved = true;
      if (!this.wasMoved) return;
      this.window = { ...from.window, x: from.window.x - dx * scale, y: from.window.y - dy * scale };
      this.apply();
    });
    this.svg.addEventListener('keydown', (event) => {
      const moves = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };
      if (event.key in moves && this.boxes.length) this.goTo((this.cursor + moves[event.key] + this.boxes.length) % this.boxes.length);
      else if (event.key === 'Enter' && this.cursor >= 0)
        this.page.pin({ stage: this.part.stage, items: [this.boxes[this.cursor].item] }, this);
      else if (event.key === '+' || event.key === '-') this.zoom(event.key === '+' ? 0.8 : 1.25);
      else if (event.key === '0') this.fit();
      else return;
      event.preventDefault();
    });
  }

  goTo(box) {
    if (this.cursor >= 0) this.boxes[this.cursor].group.classList.remove('cursor');
    this.cursor = box;
    this.boxes[box].group.classList.add('cursor');
    this.page.hover({ stage: this.part.stage, items: [this.boxes[box].item] });
    this.showBox(this.boxes[box]);
  }
  scale() { return this.window.width / Math.max(1, this.svg.clientWidth); }
  placeOf(event) {
    const area = this.svg.getBoundingClientRect();
    return { x: this.window.x + (event.clientX - area.left) * this.scale(), y: this.window.y + (event.clientY - area.top) * this.scale() };
  }
  zoom(factor, place) {
    const at = place || { x: this.window.x + this.window.width / 2, y: this.window.y + this.window.height / 2 };
    const width = Math.max(60, Math.min(this.size[0] * 4 + 400, this.window.width * factor));
    const real = width / this.window.width;
    this.window = { x: at.x - (at.x - this.window.x) * real, y: at.y - (at.y - this.window.y) * real, width, height: this.window.height * real };
    this.apply();
  }
  // At least readable: a tall graph begins at its top.
  fit() {
    const [paneWidth, paneHeight] = [this.svg.clientWidth || 500, this.svg.clientHeight || 350];
    const scale = Math.max(this.size[0] / paneWidth, this.size[1] / paneHeight, 0.6);
    const shown = Math.min(scale, 1.6);
    const width = paneWidth * shown;
    // What does not fit begins where the first box stands.
    const middle = scale > shown && this.boxes.length ? this.boxes[0].x + this.boxes[0].width / 2 : this.size[0] / 2;
    this.window = { x: middle - width / 2, y: scale > shown ? -8 : (this.size[1] - paneHeight * shown) / 2, width, height: paneHeight * shown };
    this.apply();
  }
  apply() {
    const { x, y, width, height } = this.window;
    this.svg.setAttribute('viewBox', `${x} ${y} ${width} ${height}`);
    this.svg.setAttribute('preserveAspectRatio', 'xMidYMin meet');
  }
  showBox(box) {
    const { x, y, width, height } = this.window;
    if (box.x >= x && box.y >= y && box.x + box.width <= x + width && box.y + box.height <= y + height) return;
    this.window = { x: box.x + box.width / 2 - width / 2, y: box.y + box.height / 2 - height / 2, width, height };
    this.apply();
  }

  boxesOf(items) {
    const boxes = new Set();
    for (const item of items) if (this.boxOfItem.has(item)) boxes.add(this.boxOfItem.get(item));
    return boxes;
  }
  light(kind, set) {
    this.mark(kind, this.boxesOf(set.items));
    this.mark(kind === 'lit' ? 'near' : 'pinnedNear', this.boxesOf(set.near));
  }
  mark(mark, boxes) {
    for (const box of this.marks[mark]) this.boxes[box].group.classList.remove(mark);
    for (const box of boxes) this.boxes[box].group.classList.add(mark);
    this.marks[mark] = boxes;
  }
  lightHits(hits) { this.mark('hit', this.boxesOf(hits)); }
  showFirst(kind) {
    const boxes = [...this.marks[kind]];
    const isSeen = (box) => box.x >= this.window.x && box.y >= this.window.y && box.x + box.width <= this.window.x + this.window.width &&
                            box.y + box.height <= this.window.y + this.window.height;
    if (boxes.length && !boxes.some((box) => isSeen(this.boxes[box]))) this.showBox(this.boxes[Math.min(...boxes)]);
  }
  litCount(kind) { return this.marks[kind].size; }
  // Once it is seen for the first time; what the reader chose to see stays.
  refresh() {
    if (this.svg.clientWidth > 0 && !this.isFitted) {
      this.isFitted = true;
      this.fit();
    }
    this.showFirst('pinned');
  }
}
