// Charts over time as SVG: a guide under the pointer or the arrow keys, and zoom by dragging.

const SVG = "http://www.w3.org/2000/svg";
const LEFT = 52, RIGHT = 8, TOP = 8, BOTTOM = 22, HEIGHT = 190;

function make(name, attributes = {}, text = "") {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== "") element.textContent = text;
  return element;
}

export function short(value) {
  if (value === null || value === undefined || !isFinite(value)) return "–";
  const size = Math.abs(value);
  for (const [limit, unit] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e4, "k"]])
    if (size >= limit) return trim(value / (unit === "k" ? 1e3 : limit)) + unit;
  return size >= 100 || Number.isInteger(value) ? Math.round(value).toLocaleString("en") : trim(value);
}
const trim = value => String(Number(value.toPrecision(3)));

function ticks(most) {
  const rough = most / 4, power = 10 ** Math.floor(Math.log10(rough || 1));
  const step = [1, 2, 5, 10].map(n => n * power).find(n => n >= rough) || 1;
  const found = [];
  for (let value = 0; value <= most * 1.0001; value += step) found.push(value);
  return found;
}

const STEPS = [10, 30, 60, 300, 600, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 86400, 7 * 86400, 30 * 86400];
function times(from, to, most) {
  const step = STEPS.find(seconds => (to - from) / seconds <= most) || 90 * 86400;
  const offset = new Date(from * 1000).getTimezoneOffset() * 60;
  const found = [];
  for (let t = Math.ceil((from - offset) / step) * step + offset; t <= to; t += step) found.push(t);
  return [found, step];
}
function timeText(seconds, step) {
  const when = new Date(seconds * 1000);
  if (step >= 86400) return when.toLocaleDateString("en", {month: "short", day: "numeric"});
  return when.toLocaleTimeString("en-GB", step < 60 ? {} : {hour: "2-digit", minute: "2-digit"});
}

export class Chart {
  // series: [{name, column, class, limit}]; `scale` divides the values; zoomed(from, to) is called after a drag.
  constructor(title, series, {scale = 1, unit = "", zoomed}) {
    Object.assign(this, {title, series, scale, unit, zoomed, at: null, drag: null, data: {time: []}, range: [0, 1]});
    this.card = document.createElement("div");
    this.card.className = "card";
    const head = document.createElement("div");
    head.className = "chart-head";
    const heading = document.createElement("h3");
    heading.textContent = title;
    this.legend = document.createElement("div");
    this.legend.className = "legend";
    head.append(heading, this.legend);
    this.svg = make("svg", {class: "chart", tabindex: "0", role: "img", "aria-label": title});
    this.card.append(head, this.svg);
    this.svg.addEventListener("pointermove", event => this.move(event));
    this.svg.addEventListener("pointerdown", event => { if (event.pointerType !== "touch") { this.drag = this.timeAt(event); this.svg.setPointerCapture(event.pointerId); } });
    this.svg.addEventListener("pointerup", event => this.drop(event));
    this.svg.addEventListener("pointerleave", () => { if (this.drag === null) { this.at = null; this.draw(); } });
    this.svg.addEventListener("keydown", event => this.key(event));
    new ResizeObserver(() => this.draw()).observe(this.svg);
  }

  show(data, range) { this.data = data; this.range = range; this.draw(); }

  x(time) { return LEFT + (time - this.range[0]) / (this.range[1] - this.range[0] || 1) * (this.width - LEFT - RIGHT); }
  timeAt(event) {
    const box = this.svg.getBoundingClientRect();
    const share = (event.clientX - box.left - LEFT) / (this.width - LEFT - RIGHT);
    return this.range[0] + Math.max(0, Math.min(1, share)) * (this.range[1] - this.range[0]);
  }
  nearest(time) {
    let best = null;
    this.data.time.forEach((t, place) => { if (best === null || Math.abs(t - time) < Math.abs(this.data.time[best] - time)) best = place; });
    return best;
  }
  move(event) { this.pointer = this.timeAt(event); this.at = this.nearest(this.pointer); this.draw(); }
  drop(event) {
    if (this.drag === null) return;
    const [from, to] = [this.drag, this.timeAt(event)].sort((a, b) => a - b);
    this.drag = null;
    if (this.x(to) - this.x(from) > 8) this.zoomed(from, to); else this.draw();
  }
  key(event) {
    const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (!step || !this.data.time.length) return;
    event.preventDefault();
    this.at = Math.max(0, Math.min(this.data.time.length - 1, (this.at ?? this.data.time.length) + step));
    this.draw();
  }

  draw() {
    this.width = this.svg.clientWidth || 600;
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${HEIGHT}`);
    this.svg.replaceChildren();
    const column = each => (this.data[each.column] || []).map(value => value === null ? null : value / this.scale);
    const values = this.series.map(column);
    const shown = this.series.flatMap((each, place) => each.limit ? [] : values[place]).filter(value => value !== null);
    const caps = this.series.flatMap((each, place) => each.limit ? values[place] : []).filter(value => value !== null);
    let most = Math.max(1e-9, ...shown);
    const cap = Math.max(0, ...caps);
    if (cap && cap < most * 6) most = Math.max(most, cap);
    const marks = ticks(most);
    most = Math.max(most, marks[marks.length - 1]) * 1.04;
    const y = value => HEIGHT - BOTTOM - Math.min(value, most) / most * (HEIGHT - TOP - BOTTOM);
    for (const mark of marks) {
      this.svg.append(make("line", {class: "grid", x1: LEFT, x2: this.width - RIGHT, y1: y(mark), y2: y(mark)}));
      this.svg.append(make("text", {x: LEFT - 8, y: y(mark) + 4, "text-anchor": "end"}, short(mark)));
    }
    const [when, step] = times(this.range[0], this.range[1], this.width / 80);
    for (const time of when)
      if (this.x(time) > LEFT + 10 && this.x(time) < this.width - 20)
        this.svg.append(make("text", {x: this.x(time), y: HEIGHT - 5, "text-anchor": "middle"}, timeText(time, step)));
    this.series.forEach((each, place) => this.line(each, values[place], y, cap && cap > most));
    if (this.at !== null && this.at < this.data.time.length) this.guide(values, y);
    if (this.drag !== null) {
      const [a, b] = [this.x(this.drag), this.x(this.pointer ?? this.drag)].sort((m, n) => m - n);
      this.svg.append(make("rect", {class: "brush", x: a, width: b - a, y: TOP, height: HEIGHT - TOP - BOTTOM}));
    }
    this.describe(values);
  }

  line(each, values, y, off) {
    if (each.limit && off) return;
    let path = "", open = false, first = null, last = null;
    this.data.time.forEach((time, place) => {
      const value = values[place];
      if (value === null || value === undefined) { open = false; return; }
      const x = this.x(time).toFixed(1);
      path += `${open ? "L" : "M"}${x} ${y(value).toFixed(1)}`;
      open = true;
      first ??= x; last = x;
    });
    if (!path) return;
    const group = make("g", {class: each.class || ""});
    if (each.area) group.append(make("path", {class: "area", d: `${path}L${last} ${y(0)}L${first} ${y(0)}Z`}));
    group.append(make("path", {class: each.limit ? "limit" : "line", d: path}));
    this.svg.append(group);
  }

  guide(values, y) {
    const x = this.x(this.data.time[this.at]);
    this.svg.append(make("line", {class: "guide", x1: x, x2: x, y1: TOP, y2: HEIGHT - BOTTOM}));
    this.series.forEach((each, place) => {
      const value = values[place][this.at];
      if (value === null || value === undefined || each.limit) return;
      const group = make("g", {class: each.class});
      group.append(make("circle", {class: "dot", cx: x, cy: y(value), r: 4}));
      this.svg.append(group);
    });
  }

  describe(values) {
    const place = this.at ?? this.data.time.length - 1;
    this.legend.replaceChildren();
    if (this.at !== null && this.data.time[place]) {
      const when = document.createElement("span");
      when.textContent = new Date(this.data.time[place] * 1000).toLocaleTimeString("en-GB");
      this.legend.append(when);
    }
    this.series.forEach((each, number) => {
      const value = values[number][place];
      if (each.limit && (value === null || value === undefined)) return;
      const item = document.createElement("span"), key = document.createElement("i"), amount = document.createElement("b");
      key.className = each.limit ? "dashed" : each.class;
      amount.textContent = short(value) + (value === null || value === undefined ? "" : this.unit);
      item.append(key, each.name, amount);
      this.legend.append(item);
    });
  }
}
