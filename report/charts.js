"use strict";
// Without this script every figure is there as a picture, with its values as a file. It answers for them: the value at a
// pointer, a finger or the arrow keys, one line among many, another scale, a table. What it knows stands in the page, as
// `data-chart` of each picture; crates/plot/src/data.rs says which letter is what.
(() => {
  // The page names no address, so that anyone can see that it asks for none.
  const SVG = document.querySelector("svg")?.namespaceURI;

  // Numbers, written as the pictures write them.
  const SCALED = [[1, "s"], [1e3, "ms"], [1e6, "µs"], [1e9, "ns"]];
  function digits(value, most) {
    if (!value) return "0";
    const magnitude = Math.floor(Math.log10(Math.abs(value))) + 1;
    const text = magnitude >= most
      ? String(Math.round(value / 10 ** (magnitude - most)) * 10 ** (magnitude - most))
      : value.toFixed(Math.min(12, most - magnitude)).replace(/\.?0+$/, "");
    return text.replace("-", "−");
  }
  function seconds(value, most) {
    if (!value) return "0";
    const [factor, unit] = SCALED.find(([factor]) => Math.abs(value) * factor >= 0.9995) ?? SCALED[3];
    return `${digits(value * factor, most)} ${unit}`;
  }
  const day = (value) => new Date(Math.floor(value) * 864e5).toISOString().slice(0, 10);
  // What stands at a tick, and a value with its unit.
  const plain = { seconds, times: (v, d) => `×${digits(v, d)}`, day, whole: (v) => digits(v, 6), ways: (v) => digits(v, 6) };
  const tick = (of, value) => (plain[of] ?? digits)(value, 3);
  const UNITS = { rate: " × 10⁹ tasks/s", "GB/s": " GB/s", bytes: " bytes", ways: " ways", "%": "%", J: " J", "rate/J": " × 10⁹ tasks/J", "tasks/byte": " tasks a byte" };
  const full = (of, value) => (plain[of] ?? digits)(value, 4) + (UNITS[of] ?? "");

  // Everything that is known of a point, in parts that a line of text and a row of a table share.
  function parts(of, { value, low, high, samples, published, estimated, jump }) {
    const interval = samples === 1 ? "one sample, no interval"
      : low != null ? `${full(of, low)} to ${full(of, high)}` : samples == null ? "" : "no interval";
    const count = samples == null ? "" : samples === 1 ? "1 sample" : `${samples} samples`;
    let paper = "", ratio = "";
    if (typeof published === "number") {
      paper = full(of, published);
      ratio = `×${digits(value / published, 3)}`;
    } else if (published) {
      const [from, to] = published;
      paper = to == null ? `at least ${full(of, from)}` : `${full(of, from)} to ${full(of, to)}`;
      ratio = value < from ? `×${digits(value / from, 3)} of its lower end`
        : to != null && value > to ? `×${digits(value / to, 3)} of its upper end` : "within it";
    }
    const notes = [estimated && "an estimate", jump && `×${jump} a task of the point before`].filter(Boolean);
    return { text: (estimated ? "≈ " : "") + full(of, value), interval, count, paper, ratio, notes: notes.join("; ") };
  }
  const lines = ({ text, interval, count, paper, ratio, notes }) => [
    text,
    [interval, interval.startsWith("one") ? "" : count].filter(Boolean).join(", "),
    paper && `the paper: ${paper}; here ${ratio}${ratio.startsWith("×") && !ratio.includes("its") ? " of that" : ""}`,
    notes,
  ].filter(Boolean);

  const make = (name, attributes = {}, ...children) => {
    const one = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
    one.append(...children);
    return one;
  };
  const draw = (name, attributes, text) => {
    const one = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) if (value != null) one.setAttribute(key, value);
    if (text) one.textContent = text;
    return one;
  };

  // Marks, as the pictures draw them; r in units of the picture.
  const CORNERS = { s: [-0.88, -0.88, 0.88, -0.88, 0.88, 0.88, -0.88, 0.88], d: [0, -1.25, 1.25, 0, 0, 1.25, -1.25, 0],
    u: [0, -1.2, 1.15, 0.85, -1.15, 0.85], v: [0, 1.2, -1.15, -0.85, 1.15, -0.85] };
  function mark(letter, x, y, r, ink, single) {
    const shape = letter.toLowerCase(), open = single || letter === shape;
    const style = open ? { fill: "#FFFFFF", stroke: ink, "stroke-width": 15 } : { fill: ink };
    const group = draw("g", {});
    const corners = CORNERS[shape];
    group.append(corners
      ? draw("polygon", { ...style, points: corners.map((c, at) => Math.round(c * r + (at % 2 ? y : x))).join(" ") })
      : draw("circle", { ...style, cx: x, cy: y, r }));
    if (single) group.append(draw("circle", { cx: x, cy: y, r: 12, fill: ink }));
    return group;
  }

  // Ends and ticks of an axis on a scale of its own.
  function ends(values, log, fromZero) {
    let low = Math.min(...values), high = Math.max(...values);
    if (log) {
      const room = Math.max(high / low, 1.2) ** 0.04;
      return [low / room, high * room];
    }
    if (fromZero && low > 0) low = 0;
    const span = high - low || Math.abs(high) || 1;
    return [low === 0 ? 0 : low - span * 0.05, high + span * 0.05];
  }
  function ticks([low, high], log, of, most, values = [low, high]) {
    const within = (all) => all.filter((v) => v >= low && v <= high);
    if (log && (of === "whole" || of === "ways")) {
      const first = Math.ceil(Math.log2(low)), last = Math.floor(Math.log2(high));
      if (last - first < 1 && values[1] > values[0]) return values;
      const step = Math.floor((last - first) / most) + 1;
      return within([...Array(last - first + 1).keys()].map((at) => last - at).filter((p) => (last - p) % step === 0).map((p) => 2 ** p)).sort((a, b) => a - b);
    }
    if (log) {
      const powers = [];
      for (let p = Math.floor(Math.log10(low)); p <= Math.ceil(Math.log10(high)); p++) powers.push(p);
      for (const steps of [[1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8], [1, 2, 5], [1, 3], [1]]) {
        const all = within(powers.flatMap((p) => steps.map((s) => +(s * 10 ** p).toPrecision(3))));
        if (all.length <= most) return all;
      }
      return within(powers.map((p) => 10 ** p)).filter((_, at, all) => at % Math.ceil(all.length / most) === 0);
    }
    const rough = (high - low) / most, power = 10 ** Math.floor(Math.log10(rough));
    let step = [1, 2, 2.5, 5, 10].map((s) => s * power).find((s) => s >= rough * 0.999);
    if (of === "whole" || of === "day" || of === "ways") step = Math.max(1, Math.ceil(step));
    const all = [];
    for (let at = Math.ceil(low / step); at * step <= high; at++) all.push(+(at * step).toPrecision(12));
    return all;
  }
  const share = (value, [low, high], log) =>
    log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);

  class Chart {
    constructor(picture) {
      this.picture = picture;
      this.figure = picture.closest("figure");
      this.data = JSON.parse(picture.dataset.chart);
      this.title = this.figure.querySelector("h3").firstChild.textContent;
      this.isLines = Boolean(this.data.s);
      this.groups = this.isLines ? this.ofLines() : this.ofRows();
      // The drawings for wide screens and for a phone; a figure in a column has only the second.
      this.svgs = [picture.querySelector(".wide svg"), picture.querySelector(".narrow svg") ?? picture.querySelector("svg")];
      // Scales now, and as they were drawn.
      if (this.isLines) this.drawn = { x: this.data.x.s, y: this.data.y.s };
      this.scale = { ...this.drawn };
      this.only = null;
      this.at = null;
      this.tip = make("div", { class: "tip", "aria-hidden": "true", hidden: "" });
      this.said = make("p", { class: "said", role: "status", "aria-live": "polite" });
      Object.entries({
        tabindex: "0", role: "application", "aria-roledescription": "chart",
        "aria-label": `${this.title}: arrow keys go from value to value, up and down from ${this.isLines ? "line to line" : "row to row"}`,
      }).forEach(([key, value]) => picture.setAttribute(key, value));
      picture.append(this.tip, this.said);
      this.tools();
      picture.addEventListener("pointermove", (event) => this.point(event));
      picture.addEventListener("pointerdown", (event) => this.point(event));
      picture.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && this.leave());
      picture.addEventListener("keydown", (event) => this.key(event));
      picture.addEventListener("blur", () => this.leave());
    }

    // Points of each line, by the letters of the data.
    ofLines() {
      return this.data.s.map((one, line) => this.data.l[one.x].map((x, at) => ({
        line, x, value: one.y[at], low: one.a?.[at], high: one.b?.[at],
        samples: Array.isArray(one.k) ? one.k[at] : one.k, published: one.p?.[at],
        estimated: one.e?.includes(at), jump: one.j?.find(([place]) => place === at)?.[1],
      })));
    }
    ofRows() {
      const groups = this.data.r.map(() => []);
      for (const [line, name, value, low, high, samples, published, estimated, places] of this.data.v)
        groups[line].push({ line, name, value, low, high, samples, published, estimated, places });
      return groups;
    }

    get of() { return this.isLines ? this.data.y.q : this.data.q; }
    names() { return this.isLines ? this.data.s.map((one) => one.n) : this.data.r; }
    heading(point) {
      return this.isLines ? `${this.names()[point.line]}, ${this.where(point)}` : `${this.names()[point.line]}: ${this.data.n[point.name]}`;
    }
    where({ x }) {
      const { t, q } = this.data.x;
      return q === "whole" ? `${t.split(",")[0]} = ${digits(x, 9)}` : `${t}: ${tick(q, x)}`;
    }
    layout() { return this.svgs[0]?.getBoundingClientRect().width ? 0 : 1; }

    // Frame and ends of both axes of a layout, on the scales of now.
    view(layout) {
      const [left, top, right, bottom, x0, x1, y0, y1] = this.data.v[layout];
      const points = this.groups.flat().filter((point) => this.holds(point));
      const of = (axis, drawn, values) => this.scale[axis] === this.drawn[axis] ? drawn
        : ends(values, this.scale[axis], axis === "y");
      const guides = this.data.g.map((guide) => guide.y).filter((y) => !this.scale.y || y > 0);
      return { left, top, right, bottom,
        x: of("x", [x0, x1], points.map(({ x }) => x)),
        y: of("y", [y0, y1], [...points.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value]), ...guides]) };
    }
    holds({ x, value }) { return (!this.scale.x || x > 0) && (!this.scale.y || value > 0); }
    // Where a point lies in a layout, in units of its picture; none where the scale has no place for it.
    place(point, layout, known) {
      if (!this.isLines) return point.places.slice(layout * 2, layout * 2 + 2);
      if (!this.holds(point)) return null;
      const view = known || this.view(layout);
      return [view.left + share(point.x, view.x, this.scale.x) * (view.right - view.left),
        view.bottom - share(point.value, view.y, this.scale.y) * (view.bottom - view.top)];
    }

    point(event) {
      if (event.target.closest("button, .tip")) return;
      const layout = this.layout(), box = this.svgs[layout].getBoundingClientRect();
      const unit = this.svgs[layout].viewBox.baseVal.width / box.width;
      const [x, y] = [(event.clientX - box.left) * unit, (event.clientY - box.top) * unit];
      const view = this.isLines && this.view(layout);
      let best = null, least = 600;
      this.groups.forEach((points, line) => {
        if (this.only !== null && line !== this.only) return;
        points.forEach((point, at) => {
          const place = this.place(point, layout, view);
          const far = place && Math.hypot(place[0] - x, place[1] - y);
          if (place && far < least) [best, least] = [[line, at], far];
        });
      });
      if (best) this.show(best, false);
      else this.leave();
    }

    key(event) {
      const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1, Home: 0, End: 0 }[event.key];
      if (event.key === "Escape") return this.leave();
      if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      // Lines that are there for comparison come last.
      const main = this.groups.findIndex((points, line) => points.length && !this.data.s?.[line].t);
      const first = this.only ?? Math.max(0, main);
      if (!this.at) return this.show([first, 0], true);
      let [line, at] = this.at;
      if (event.key === "Home") at = 0;
      else if (event.key === "End") at = this.groups[line].length - 1;
      else if (event.key === "ArrowUp" || event.key === "ArrowDown") [line, at] = this.other(line, at, step);
      else at = Math.min(Math.max(at + step, 0), this.groups[line].length - 1);
      this.show([line, at], true);
    }
    // The point of another line: the next one up or down at this x, or of rows the next row.
    other(line, at, step) {
      const here = this.groups[line][at];
      if (this.only !== null) return [line, at];
      if (!this.isLines) {
        const next = Math.min(Math.max(line + step, 0), this.groups.length - 1);
        return [next, Math.min(at, this.groups[next].length - 1)];
      }
      const near = this.groups.flatMap((points, other) => {
        const all = points.map((point, place) => [Math.abs(point.x - here.x), place]).filter(([, place]) => this.holds(points[place]));
        const [far, place] = all.sort((a, b) => a[0] - b[0])[0] ?? [];
        return other === line || place === undefined ? [] : [{ far, found: [other, place], value: points[place].value }];
      });
      const same = near.some(({ far }) => far === 0) ? near.filter(({ far }) => far === 0) : near;
      const beyond = same.filter(({ value, found }) => step < 0 ? value > here.value || (value === here.value && found[0] < line)
        : value < here.value || (value === here.value && found[0] > line));
      return beyond.sort((a, b) => step * (b.value - a.value))[0]?.found ?? [line, at];
    }

    show([line, at], aloud) {
      const point = this.groups[line]?.[at];
      if (!point) return;
      this.at = [line, at];
      const told = lines(parts(this.of, point));
      this.tip.replaceChildren(make("strong", {}, this.heading(point)), ...told.map((one) => make("span", {}, one)));
      this.tip.hidden = false;
      this.said.textContent = aloud ? `${this.heading(point)}: ${told.join("; ")}` : "";
      const layout = this.layout(), svg = this.svgs[layout];
      const place = this.place(point, layout);
      this.picture.querySelectorAll(".ring").forEach((ring) => ring.remove());
      if (!place) return;
      const [x, y] = place.map(Math.round);
      svg.append(draw("circle", { class: "ring", cx: x, cy: y, r: 75, stroke: "#1B1F24", "stroke-width": 20 }));
      const box = svg.getBoundingClientRect(), around = this.picture.getBoundingClientRect();
      const scale = box.width / svg.viewBox.baseVal.width;
      const [px, py] = [box.left - around.left + x * scale, box.top - around.top + y * scale];
      const { offsetWidth: width, offsetHeight: height } = this.tip;
      const left = px + 14 + width < around.width ? px + 14 : Math.max(0, px - 14 - width);
      const fits = px + 14 + width < around.width || px - 14 - width >= 0;
      const top = fits ? Math.min(Math.max(0, py - height / 2), Math.max(0, around.height - height)) : py > height + 14 ? py - height - 14 : py + 14;
      Object.assign(this.tip.style, { left: `${left}px`, top: `${top}px` });
    }
    leave() {
      this.at = null;
      this.tip.hidden = true;
      this.said.textContent = "";
      this.picture.querySelectorAll(".ring").forEach((ring) => ring.remove());
    }

    // A bar of buttons: table, scales, legend.
    tools() {
      const bar = make("div", { class: "tools" });
      const id = `${this.figure.id}-values`;
      const values = make("div", { class: "values", id, hidden: "" });
      const table = this.button("Table", { "aria-expanded": "false", "aria-controls": id }, () => {
        values.hidden = !values.hidden;
        if (!values.children.length) values.append(this.table());
        table.setAttribute("aria-expanded", String(!values.hidden));
      });
      bar.append(table);
      for (const axis of this.isLines ? ["y", "x"] : []) {
        if (!this.canSwitch(axis)) continue;
        const button = this.button(`log ${axis}`, { "data-axis": axis, "aria-pressed": String(!!this.scale[axis]) }, () => {
          this.scale[axis] = 1 - this.scale[axis];
          button.setAttribute("aria-pressed", String(!!this.scale[axis]));
          this.redraw();
        });
        bar.append(button);
      }
      if (this.isLines && this.data.s.length > 1) {
        // Lines have their names at their ends: the list of all is for who wants one of them alone.
        const legend = make("div", { class: "legend", role: "group", "aria-label": "Single out a line" });
        this.data.s.forEach((one, line) => {
          const sign = draw("svg", { viewBox: "0 0 240 120", "aria-hidden": "true" });
          if (one.d !== undefined) sign.append(draw("path", { d: "M0 60h240", ...this.stroke(one) }));
          if (one.m) sign.append(mark(one.m, 120, 60, 40, one.c, false));
          const button = this.button(one.n, { "aria-pressed": "false" }, () => this.single(line));
          button.prepend(sign);
          legend.append(button);
        });
        bar.append(make("details", {}, make("summary", {}, "Lines"), legend));
      }
      this.picture.before(bar);
      this.picture.after(values);
    }
    button(text, attributes, act) {
      const button = make("button", { type: "button", ...attributes }, text);
      button.addEventListener("click", act);
      return button;
    }
    stroke({ c, t, d }) {
      return { stroke: c, "stroke-width": t ? 12 : 20, "stroke-dasharray": d || null };
    }
    // Days have no logarithm, and zero none either.
    canSwitch(axis) {
      const { q } = this.data[axis], points = this.groups.flat();
      const all = points.map((point) => (axis === "x" ? point.x : Math.min(point.value, point.low ?? point.value)));
      return q !== "day" && new Set(all).size > 1 && all.every((value) => value > 0);
    }
    single(line) {
      this.only = this.only === line ? null : line;
      this.leave();
      this.figure.querySelectorAll(".legend button").forEach((button, at) => button.setAttribute("aria-pressed", String(at === this.only)));
      this.dim();
    }
    dim() {
      for (const group of this.picture.querySelectorAll("[data-s]"))
        group.classList.toggle("dim", this.only !== null && +group.dataset.s !== this.only);
    }

    table() {
      const head = this.isLines ? ["line", this.data.x.t] : ["row", "what"];
      const titles = [...head, this.isLines ? this.data.y.t : "value", "interval", "samples", "the paper", "here of that", "note"];
      const rows = this.groups.flat().map((point) => {
        const told = parts(this.of, point);
        const where = this.isLines ? tick(this.data.x.q, point.x) : this.data.n[point.name];
        return [this.names()[point.line], where, told.text, told.interval, point.samples ?? "", told.paper, told.ratio, told.notes];
      });
      const kept = titles.map((_, column) => column < 3 || rows.some((row) => row[column] !== ""));
      const cells = (row, name) => row.map((cell, at) => kept[at] && make(at ? name : "th", at && name === "td" ? {} : { scope: name === "td" ? "row" : "col" }, String(cell))).filter(Boolean);
      const table = make("table", {}, make("caption", { class: "said" }, this.title),
        make("thead", {}, make("tr", {}, ...cells(titles, "th"))),
        make("tbody", {}, ...rows.map((row) => make("tr", {}, ...cells(row, "td")))));
      return make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": `Values of ${this.title}` }, table);
    }

    // Curves, ticks and guides on the scales of now. As it was drawn, the picture comes back.
    redraw() {
      this.leave();
      const changed = this.scale.x !== this.drawn.x || this.scale.y !== this.drawn.y;
      this.picture.querySelectorAll(".redrawn").forEach((one) => one.remove());
      this.svgs.forEach((svg, layout) => {
        if (!svg) return;
        for (const group of svg.querySelectorAll("[data-axes], [data-s]")) group.style.display = changed ? "none" : "";
        if (changed) svg.append(this.drawing(layout));
      });
      this.dim();
    }
    drawing(layout) {
      const view = this.view(layout), { left, top, right, bottom } = view;
      const all = draw("g", { class: "redrawn" });
      const put = (to, name, attributes, text) => to.append(draw(name, attributes, text));
      const write = (to, x, y, text, more) => put(to, "text", { x: Math.round(x), y: Math.round(y + 36), fill: "#59616B", ...more }, text);
      const down = (value) => bottom - share(value, view.y, this.scale.y) * (bottom - top);
      const over = (value) => left + share(value, view.x, this.scale.x) * (right - left);
      for (const value of ticks(view.y, this.scale.y, this.data.y.q, Math.max(3, Math.floor((bottom - top) / 450)))) {
        put(all, "path", { d: `M${left} ${Math.round(down(value))}H${right}`, stroke: "#E4E7EB" });
        write(all, left - 70, down(value), tick(this.data.y.q, value), { "text-anchor": "end" });
      }
      const xs = this.groups.flat().map(({ x }) => x);
      for (const value of ticks(view.x, this.scale.x, this.data.x.q, Math.floor((right - left) / 800), [Math.min(...xs), Math.max(...xs)])) {
        put(all, "path", { d: `M${Math.round(over(value))} ${bottom}v40`, stroke: "#59616B" });
        write(all, over(value), bottom + 145, tick(this.data.x.q, value), { "text-anchor": "middle" });
      }
      put(all, "path", { d: `M${left} ${bottom}H${right}`, stroke: "#59616B" });
      for (const guide of this.data.g) {
        if (this.scale.y && guide.y <= 0) continue;
        const y = Math.round(down(guide.y));
        put(all, "path", { d: `M${left} ${y}H${right}`, stroke: guide.c, "stroke-width": 13, "stroke-dasharray": guide.d || null });
        const most = Math.floor((right - left) / 66);
        // Broken between words where it is longer than the chart is wide.
        const lines = guide.n.match(RegExp(`.{1,${most}}(?= |$)|\\S+`, "g"));
        lines.forEach((line, at) => write(all, right - 40, y - 75 - (lines.length - 1 - at) * 145, line.trim(), { "text-anchor": "end", fill: guide.c }));
      }
      this.data.s.forEach((one, line) => {
        const group = draw("g", { "data-s": line });
        const points = this.groups[line].filter((point) => this.holds(point));
        const places = points.map((point) => this.place(point, layout, view).map(Math.round));
        if (one.d !== undefined && places.length > 1)
          put(group, "path", { d: `M${places.join("L")}`, ...this.stroke(one) });
        const bars = points.map(({ low, high }, at) =>
          low != null && (!this.scale.y || low > 0) && down(low) - down(high) > 30 ? `M${places[at][0]} ${Math.round(down(low))}V${Math.round(down(high))}` : "");
        if (bars.some(Boolean)) put(group, "path", { d: bars.join(""), stroke: one.c, opacity: points.length > 30 ? 0.4 : 1 });
        let last = null;
        if (one.m)
          places.forEach(([x, y], at) => {
            if (last && Math.hypot(x - last[0], y - last[1]) < 80 && at + 1 < places.length) return;
            last = [x, y];
            group.append(mark(one.m, x, y, one.t || places.length > 30 ? 28 : 38, one.c, points[at].samples === 1));
          });
        all.append(group);
      });
      this.labels(all, view, layout);
      return all;
    }
    // The name of each line at its end: in a column beside the chart where it reaches that, else above its last point.
    labels(all, { left, right, bottom, ...view }, layout) {
      const LINE = 150, room = Math.floor((this.svgs[layout].viewBox.baseVal.width - right - 150) / 68);
      const beside = [];
      this.data.s.forEach((one, line) => {
        const last = this.groups[line].filter((point) => this.holds(point)).at(-1);
        if (!last || one.d === undefined) return;
        const [x, y] = this.place(last, layout, { left, right, bottom, ...view });
        const text = (most) => (one.n.length > most ? `${one.n.slice(0, most - 1)}…` : one.n);
        const ends = x > left + 0.93 * (right - left);
        if (ends && room > 5) beside.push({ line, x, y, to: y, text: text(room), ink: one.c });
        else if (!ends) all.append(draw("text", { "data-s": line, x: Math.round(x), y: Math.round(y - 80), fill: one.c, "text-anchor": "middle" }, text(24)));
      });
      beside.sort((a, b) => a.y - b.y);
      beside.forEach((one, at) => at && (one.to = Math.max(one.to, beside[at - 1].to + LINE)));
      for (let at = beside.length - 1, low = bottom + 70; at >= 0; low = beside[at--].to - LINE) beside[at].to = Math.min(beside[at].to, low);
      for (const { line, x, y, to, text, ink } of beside) {
        const group = draw("g", { "data-s": line });
        group.append(draw("path", { d: `M${Math.round(x + 60)} ${Math.round(y)}L${right + 110} ${Math.round(to)}`, stroke: ink, "stroke-width": 8 }),
          draw("text", { x: right + 140, y: Math.round(to + 36), fill: ink, "font-weight": "bold" }, text));
        all.append(group);
      }
    }
  }

  for (const picture of document.querySelectorAll("[data-chart]")) new Chart(picture);
})();
