'use strict';
// Which items and lines of a document belong to items of another: those that share sources, and have the same kernel if both
// have one. A frame belongs only to items that cover it whole; where the exact instruction is known, its own lines come first.

const kNone = -1;

function sortedUnique(numbers) {
  return Array.from(new Set(numbers)).sort((a, b) => a - b);
}

// Where the members of each key stand in one shared array: those of key k from start[k] up to start[k + 1].
function grouped(keyCount, count, keysOf) {
  const start = new Uint32Array(keyCount + 1);
  for (let i = 0; i < count; ++i)
    for (const key of keysOf(i)) ++start[key + 1];
  for (let k = 1; k <= keyCount; ++k) start[k] += start[k - 1];
  const members = new Uint32Array(start[keyCount]);
  const next = start.slice();
  for (let i = 0; i < count; ++i)
    for (const key of keysOf(i)) members[next[key]++] = i;
  return { start, members, of: (key) => (key + 1 < start.length ? members.subarray(start[key], start[key + 1]) : []) };
}

class StagePart {
  // data: a document of the report; tables: its texts and lists. kernelsOfItems: by item, for a document whose items have no
  // kernel of their own.
  constructor(data, tables) {
    this.stage = data.stage;
    this.title = data.title;
    this.data = data;
    this.tables = tables;
    this.itemCount = data.items.count;
    this.lineCount = data.lines.count;
    this.kernelsOfItems = [];
    const one = (column, i) => (column && column[i] !== kNone ? [column[i]] : []);
    const highest = (lists) => { let most = -1; for (const list of lists) for (const n of list) if (n > most) most = n; return most; };
    const sources = (i) => this.sourcesOf(i);
    this.bySource = grouped(highest(this.eachItem(sources)) + 1, this.itemCount, sources);
    const instructions = (i) => one(data.items.instruction, i);
    this.byInstruction = grouped(highest(this.eachItem(instructions)) + 1, this.itemCount, instructions);
    this.linesByItem = grouped(this.itemCount, this.lineCount, (line) => one(data.lines.item, line));
    this.frame = new Uint32Array(this.itemCount);
    for (let i = 0; i < this.itemCount; ++i) if (this.hasTag(i, 'frame')) this.frame[i] = this.sourcesOf(i).length;
  }

  *eachItem(of) { for (let i = 0; i < this.itemCount; ++i) yield of(i); }
  column(name, i) { const column = this.data.items[name]; return column ? column[i] : kNone; }
  textOf(name, i) { const number = this.column(name, i); return number === kNone ? '' : this.tables.texts[number]; }
  listOf(name, i) { const number = this.column(name, i); return number === kNone ? [] : this.tables.lists[number]; }
  label(i) { return this.textOf('label', i); }
  detail(i) { return this.textOf('detail', i); }
  kernel(i) { return this.column('kernel', i); }
  sourcesOf(i) { return this.listOf('sources', i); }
  tags(i) { return this.listOf('tags', i).map((tag) => this.tables.texts[tag]); }
  hasTag(i, tag) { return this.listOf('tags', i).some((number) => this.tables.texts[number] === tag); }
  // [[name, value], ...]
  fields(i) {
    const list = this.listOf('fields', i);
    const fields = [];
    for (let k = 0; k + 1 < list.length; k += 2) fields.push([this.tables.texts[list[k]], this.tables.texts[list[k + 1]]]);
    return fields;
  }
  lineText(line) { return this.tables.texts[this.data.lines.text[line]]; }
  lineItem(line) { const items = this.data.lines.item; return items ? items[line] : kNone; }
  lineHasTag(line, tag) {
    const tags = this.data.lines.tags;
    return !!tags && tags[line] !== kNone && this.tables.lists[tags[line]].some((number) => this.tables.texts[number] === tag);
  }

  keyOf(i) {
    const kernel = this.kernel(i);
    return {
      sources: this.sourcesOf(i),
      kernels: kernel !== kNone ? [kernel] : this.kernelsOfItems[i] || [],
      instruction: this.column('instruction', i),
      isFrame: this.hasTag(i, 'frame'),
      isKernel: kernel !== kNone && this.hasTag(i, 'kernel'),
    };
  }

  agrees(key, i) {
    if (key.kernels.length === 0) return true;
    const kernel = this.kernel(i);
    if (kernel !== kNone) return key.kernels.includes(kernel);
    const own = this.kernelsOfItems[i] || [];
    return own.length === 0 || own.some((one) => key.kernels.includes(one));
  }

  addPartners(key, found) {
    const items = [];
    const covered = new Map(); // of frames: how many sources they share with the key
    for (const source of key.sources) {
      for (const i of this.bySource.of(source)) {
        if (!this.agrees(key, i)) continue;
        let isWhole = this.frame[i] === 0 || key.isFrame;
        if (!isWhole) {
          covered.set(i, (covered.get(i) || 0) + 1);
          isWhole = covered.get(i) === this.frame[i];
        }
        if (isWhole) items.push(i);
      }
    }
    if (key.instruction !== kNone && this.byInstruction.members.length > 0) {
      found.items.push(...this.byInstruction.of(key.instruction));
      for (const i of items) found.near.push(i);
      return;
    }
    const isNear = (i) => key.isKernel && this.stage !== 'program' && this.kernel(i) === kNone;
    for (const i of items) (isNear(i) ? found.near : found.items).push(i);
  }

  partnersOf(keys) {
    const found = { items: [], near: [] };
    for (const key of keys) this.addPartners(key, found);
    return this.finished(found);
  }

  // The items themselves; whatever else their keys find is near.
  setOf(items, keys) {
    const found = { items: [], near: [] };
    for (const key of keys) if (key.instruction !== kNone) this.addPartners(key, found);
    return this.finished({ items, near: found.near.concat(found.items) });
  }

  finished(found) {
    const items = sortedUnique(found.items);
    const close = new Set(items);
    const near = sortedUnique(found.near).filter((i) => !close.has(i));
    return { items, near, lines: this.linesOf(items), nearLines: this.linesOf(near) };
  }

  linesOf(items) {
    const lines = [];
    for (const i of items) for (const line of this.linesByItem.of(i)) lines.push(line);
    return lines.sort((a, b) => a - b);
  }
}

// The kernels that compute the items of the program, from a graph that knows them. Constants are everywhere, and left out.
function kernelsOfProgram(program, graph) {
  const bySource = new Map();
  for (let i = 0; i < graph.itemCount; ++i) {
    if (graph.kernel(i) === kNone || graph.hasTag(i, 'constant')) continue;
    for (const source of graph.sourcesOf(i)) {
      if (!bySource.has(source)) bySource.set(source, new Set());
      bySource.get(source).add(graph.kernel(i));
    }
  }
  const kernels = [];
  for (let i = 0; i < program.itemCount; ++i) {
    const own = new Set();
    for (const source of program.sourcesOf(i)) for (const kernel of bySource.get(source) || []) own.add(kernel);
    kernels.push(Array.from(own));
  }
  return kernels;
}

// All stages of a report by name, and what lights up for items of one of them.
class ReportStages {
  constructor(report) {
    const tables = { texts: report.texts, lists: report.lists };
    this.parts = new Map();
    for (const document of report.documents) this.parts.set(document.stage, new StagePart(document, tables));
    const program = this.parts.get('program');
    const graph = this.parts.get('graph');
    if (program && graph) program.kernelsOfItems = kernelsOfProgram(program, graph);
  }

  // By stage: {items, near, lines, nearLines}, sorted.
  partnersOf(stage, items) {
    const from = this.parts.get(stage);
    const keys = items.map((i) => from.keyOf(i));
    const sets = new Map();
    for (const [name, part] of this.parts) sets.set(name, name === stage ? part.setOf(items, keys) : part.partnersOf(keys));
    return sets;
  }
}
