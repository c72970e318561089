// The console's page. Whatever came from the web is put into the page as text (textContent), never as markup.

import {Chart, short} from "/charts.js";

const at = id => document.getElementById(id);
const state = {status: null, role: "reader", range: 3600, zoom: null, sort: "queue", host: null, find: "", lost: false};

function el(name, {text, className, title, click, ...attributes} = {}, ...children) {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  if (title) element.title = title;
  if (click) element.addEventListener("click", click);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// -- talking to the crawl -----------------------------------------------------------------------------------

async function ask(path, options = {}) {
  const answer = await fetch(path, {credentials: "same-origin", ...options});
  if (answer.status === 401 && path !== "/api/login") { await logIn(); return ask(path, options); }
  const isJson = (answer.headers.get("Content-Type") || "").startsWith("application/json");
  const said = isJson ? await answer.json() : await answer.text();
  if (!answer.ok) throw new Error(isJson && said.error ? said.error : `The crawl answered ${answer.status}.`);
  return said;
}
const send = (path, said, method = "POST") =>
  ask(path, {method, headers: {"Content-Type": "application/json"}, body: JSON.stringify(said)});

let loggingIn = null;
function logIn() {
  loggingIn ??= askFor({title: "Log in", text: "This console asks for a token: the reader's or the operator's.", go: "Log in", must: true,
    fields: [{name: "token", label: "Token", type: "password"}], act: said => send("/api/login", said)})
    .finally(() => { loggingIn = null; at("log-out").hidden = false; listen(); });
  return loggingIn;
}

async function act(said, words) {
  const done = await send("/api/action", state.status?.members && !said.member ? {...said, member: at("target").value} : said);
  const refused = Object.entries(done.members || {}).filter(([, answer]) => answer.error).map(([name, answer]) => `${name}: ${answer.error}`);
  const later = Object.entries(done.members || {}).filter(([, answer]) => answer.postponed).map(([name]) => name);
  if (later.length) words = `${words}; ${later.join(", ")} will do it when resumed`;
  if (refused.length) words = `${words}, but not everywhere: ${refused.join("; ")}`;
  const facts = Object.entries(done).filter(([name, value]) => name !== "action" && typeof value !== "object").map(([name, value]) => `${name} ${value}`);
  toast([words, ...facts].join(" · "));
  refresh();
  return done;
}

function toast(words, bad = false) {
  const box = at("toast");
  box.textContent = words;
  box.className = bad ? "shown bad" : "shown";
  clearTimeout(toast.timer);
  toast.timer = setTimeout(() => { box.className = ""; }, bad ? 7000 : 3500);
}
const quietly = promise => promise.catch(error => { if (!state.lost) toast(error.message, true); });

// -- dialogs --------------------------------------------------------------------------------------------------

function askFor({title, text, fields = [], go = "OK", danger = false, must = false, act: carryOut}) {
  const dialog = at("dialog"), form = dialog.querySelector("form"), box = at("dialog-fields");
  at("dialog-title").textContent = title;
  at("dialog-text").textContent = text || "";
  at("dialog-error").textContent = "";
  at("dialog-cancel").hidden = must;
  const button = at("dialog-go");
  button.textContent = go;
  button.className = danger ? "primary danger" : "primary";
  box.replaceChildren(...fields.map(field => {
    const input = el(field.lines ? "textarea" : "input", {name: field.name, autocomplete: "off", spellcheck: "false",
      ...(field.lines ? {rows: field.lines} : {type: field.type || "text"}), ...(field.placeholder ? {placeholder: field.placeholder} : {}),
      ...(field.type === "number" ? {step: field.step || "any"} : {})});
    input.value = field.value ?? "";
    return el("label", {text: field.label}, input);
  }));
  return new Promise(resolve => {
    const end = value => { form.onsubmit = null; dialog.oncancel = null; dialog.close(); resolve(value); };
    form.onsubmit = async event => {
      event.preventDefault();
      button.disabled = true;
      try {
        const said = Object.fromEntries([...box.querySelectorAll("input, textarea")].map(input => [input.name, input.value]));
        end(carryOut ? (await carryOut(said)) || true : said);
      } catch (error) { at("dialog-error").textContent = error.message; } finally { button.disabled = false; }
    };
    at("dialog-cancel").onclick = () => end(null);
    dialog.oncancel = event => { event.preventDefault(); if (!must) end(null); };
    dialog.showModal();
    (box.querySelector("input, textarea") || (danger ? at("dialog-cancel") : button)).focus();
  });
}

const VERBS = {
  pause: () => {
    const pauses = pausesOf(at("target").value), mine = pauses.find(reason => reason === "operator") || pauses[0];
    return pauses.length ? act({action: "unpause", reason: mine}, "Resumed") : act({action: "pause"}, "Paused");
  },
  checkpoint: () => act({action: "checkpoint"}, "Checkpoint made"),
  reports: () => act({action: "reports"}, "Reports written").then(() => showReport(state.report || "crawl")),
  terminate: () => askFor({title: "Terminate the crawl?", danger: true, go: "Terminate",
    text: "Open downloads finish, everything is committed, and the process ends. The same JOBDIR resumes it later. This page will stop answering.",
    act: () => act({action: "terminate"}, "The crawl stops")}),
  block: (surt = "") => askFor({title: "Block a site", danger: true, go: "Block",
    text: "Fetches in flight are cancelled and no request is sent from now on, not for robots.txt either. A domain covers all its hosts.",
    fields: [{name: "surt", label: "Domain, URL or SURT prefix", value: surt, placeholder: "esempio.it"}],
    act: said => act({action: "block", surt: said.surt}, `Blocked ${said.surt}`)}),
  "add-seeds": () => askFor({title: "Add seeds", go: "Add", text: "One URL or host a line.",
    fields: [{name: "seeds", label: "Seeds", lines: 6, placeholder: "https://www.esempio.it/"}],
    act: said => act({action: "add-seeds", seeds: said.seeds.split("\n").map(line => line.trim()).filter(Boolean)}, "Seeds queued")}),
  bandwidth: () => askFor({title: "Bandwidth plan", go: "Use this plan", text: "One entry a line: when, then the rate. The first that matches holds.",
    fields: [{name: "plan", label: "Plan", lines: 5, value: planText(), placeholder: "mon-fri 08:00-19:00 = 1500 KB/s"}],
    act: said => act({action: "bandwidth", schedule: said.plan.split("\n").filter(line => line.trim()).map(line => line.split("=").map(part => part.trim()))}, "Plan changed")}),
  connections: () => askFor({title: "Connections", go: "Change", text: "Maximum number of open sockets, up to MAX_TCP_CONNECTIONS.",
    fields: [{name: "cap", label: "Maximum", type: "number", step: 1, value: state.status.connections_cap}],
    act: said => act({action: "connections", cap: Number(said.cap)}, "Cap changed")}),
};
const planText = () => (state.status.schedule || [["*", state.status.bandwidth_cap === null ? "unlimited" : `${Math.round(state.status.bandwidth_cap / 1000)} KB/s`]])
  .map(pair => pair.join(" = ")).join("\n");

// -- what is shown ---------------------------------------------------------------------------------------------

const WHY = {
  pause: status => `Paused for: ${status.pauses.join(", ")}. Nothing is handed out until the last reason is lifted.`,
  disk: () => "The disk is full: pages wait until there is room.",
  bandwidth: () => "Bandwidth is the limit now: the plan allows no more.",
  connections: () => "Connections are the limit now: all are in use.",
  cpu: () => "The machine is the limit now: hosts are ready to be asked, and none waits for anything else.",
  plan: () => "Waiting for the next plan: all pages were visited, and the crawl is continuous.",
  politeness: () => "Politeness is the limit now: every host that has URLs rests between two requests.",
};

function bytes(value) {
  for (const [limit, unit] of [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "KB"]]) if (value >= limit) return [Number((value / limit).toPrecision(3)), unit];
  return [Math.round(value), "B"];
}
function span(seconds) {
  if (seconds < 100) return `${Math.round(seconds)} s`;
  if (seconds < 6000) return `${Math.round(seconds / 60)} min`;
  return seconds < 172800 ? `${(seconds / 3600).toFixed(1)} h` : `${(seconds / 86400).toFixed(1)} days`;
}
const brief = seconds => seconds < 1 ? `${Math.max(1, Math.round(1000 * seconds))} ms` : `${seconds.toFixed(1)} s`;
const many = value => value >= 1e7 ? short(value) : Math.round(value).toLocaleString("en");

function tile(label, value, unit, note, share, alert) {
  const box = el("div", {className: alert ? "tile alert" : "tile"}, el("span", {className: "label", text: label}));
  const amount = el("b", {text: value});
  if (unit) amount.append(el("small", {text: unit}));
  box.append(amount, el("span", {className: "note", text: note || "\u00a0"}));
  if (share !== undefined) {
    const fill = el("i", {className: share > 0.95 ? "full" : ""});
    fill.style.width = `${Math.min(100, 100 * share)}%`;
    box.append(el("div", {className: "meter"}, fill));
  }
  return box;
}

function showStatus(status) {
  state.status = status;
  state.role = status.role;
  state.lost = false;
  document.title = `${status.state === "paused" ? "⏸ " : ""}${status.name} · webgraph_it`;
  at("name").textContent = status.name;
  at("since").textContent = `crawling for ${span(status.seconds)}`;
  at("state").textContent = status.state;
  at("state").className = `pill ${status.state}`;
  const why = WHY[status.limit](status), cut = why.indexOf(":") + 1 || why.indexOf(".") + 1;
  at("why").replaceChildren(el("b", {text: why.slice(0, cut)}), why.slice(cut));
  showMembers(status);
  at("pause").textContent = pausesOf(at("target").value).length ? "Resume" : "Pause";
  const may = status.role === "operator";
  document.querySelectorAll("[data-verb]").forEach(button => { button.disabled = !may; });
  at("version").textContent = `webgraph_it ${status.version} · ${status.role}`;
  showRules(status);
  if (status.totals) status = {...status, ...status.totals};
  const rate = bytes(status.wire_bytes_per_second), disk = bytes(status.free_disk_bytes), memory = bytes(status.rss_bytes), cap = status.bandwidth_cap;
  const speed = status.pages_per_second;
  at("tiles").replaceChildren(
    tile("Pages per second", speed >= 10 ? many(speed) : speed.toFixed(1), "/s", `mean ${status.mean_pages_per_second.toFixed(1)}/s`),
    tile("Received", rate[0], `${rate[1]}/s`, cap === null ? "no limit now" : `of ${bytes(cap).join(" ")}/s`, cap ? status.wire_bytes_per_second / cap : undefined),
    tile("Connections", many(status.connections), "", `of ${many(status.connections_cap)}`, status.connections / status.connections_cap),
    tile("Pages", many(status.pages), "", `${many(status.links)} links${status.members ? ` · ${status.members.length} crawls` : ""}`),
    tile("URLs queued", many(status.queued), "", `${many(status.seen)} known`),
    tile("Hosts", many(status.hosts_ready + status.hosts_waiting + status.hosts_parked), "with URLs", `${many(status.hosts_ready)} ready · ${many(status.hosts_waiting)} waiting · ${many(status.hosts_parked)} parked`),
    tile("Free disk", disk[0], disk[1], `memory ${memory.join(" ")}`, undefined, status.limit === "disk" || status.pauses.includes("disk")),
    tile("Last commit", span(status.last_commit_seconds_ago), "ago", `${many(status.commits)} in this run`, undefined, status.last_commit_seconds_ago > 300));
}

// -- several crawls ------------------------------------------------------------------------------------------------

function pausesOf(target) {
  const members = (state.status.members || [state.status]).filter(member => !member.error && (!target || target === "all" || member.member === target));
  return members.every(member => member.pauses.length) ? members.flatMap(member => member.pauses) : [];
}

function showMembers(status) {
  at("members-section").hidden = at("target").hidden = !status.members;
  if (!status.members) return;
  at("own-name").textContent = status.name;
  const names = ["all", ...status.members.map(member => member.member)], select = at("target");
  if (names.join("\n") !== [...select.options].map(option => option.value).join("\n"))
    select.replaceChildren(...names.map(name => el("option", {value: name, text: name === "all" ? "All crawls" : name})));
  at("members").tBodies[0].replaceChildren(...status.members.map(memberRow));
}

function memberRow(member) {
  const at_ = (member.console || "").split(":"), name = el("td", {className: "name"});
  if (!member.own && at_.length > 1) name.append(el("a", {text: member.member, href: `http://${location.hostname}:${at_[at_.length - 1]}/`, rel: "noreferrer"}));
  else name.append(el("b", {text: member.member}));
  if (member.error) return el("tr", {}, name, el("td", {colspan: 8}, el("span", {className: "tag bad", text: "stopped"}), " ", el("span", {className: "soft", text: member.error})));
  const paused = member.pauses.length > 0, kind = paused ? "warn" : "good";
  const words = paused ? `paused: ${member.pauses.join(", ")}` : member.limit === "cpu" ? "running, limited by the machine" : member.limit === "plan" ? "running, waits for the next plan" : `running, limited by ${member.limit}`;
  const button = el("button", {text: paused ? "Resume" : "Pause", "data-member-verb": "pause", click: () => quietly(
    act({...(paused ? {action: "unpause", reason: member.pauses[0]} : {action: "pause"}), member: member.member}, `${paused ? "Resumed" : "Paused"} ${member.member}`))});
  button.disabled = state.role !== "operator";
  return el("tr", {}, name, el("td", {}, el("span", {className: `tag ${kind}`, text: words})), el("td", {className: "number", text: many(member.pages)}),
    el("td", {className: "number", text: member.pages_per_second.toFixed(1)}), el("td", {className: "number wide", text: many(member.wire_bytes_per_second / 1000)}),
    el("td", {className: "number wide", text: many(member.queued)}), el("td", {className: "number wide", text: many(member.connections)}),
    el("td", {className: "number wide", text: `${span(member.last_commit_seconds_ago)} ago`}), el("td", {className: "number"}, button));
}
at("target").addEventListener("change", () => showStatus(state.status));

function showRules(status) {
  const items = status.rules.map(rule => {
    const said = Object.entries(rule).filter(([name]) => name !== "surt").map(([name, value]) => value === true ? name : `${name.replace("_", " ")} ${value}`).join(", ");
    const item = el("li", {}, el("span", {text: rule.surt || rule.match || ""}), el("span", {className: rule.block ? "tag bad" : "tag", text: said}));
    if (rule.block) item.append(el("button", {text: "Unblock", "data-unblock": rule.surt, click: () => quietly(act({action: "unblock", surt: rule.surt}, `Unblocked ${rule.surt}`))}));
    else item.append(el("button", {text: "Clear", "data-clear": rule.surt, click: () => quietly(act({action: "clear", surt: rule.surt}, `Cleared ${rule.surt}`))}));
    return item;
  });
  for (const [host, until] of Object.entries(status.parked))
    if (until > status.time) items.push(el("li", {}, el("span", {text: host}), el("span", {className: "tag warn", text: `parked for ${span(until - status.time)}`}),
      el("button", {text: "Wake", click: () => quietly(act({action: "wake", host}, `Woke ${host}`))})));
  if (status.file_rules) items.push(el("li", {className: "plain"}, el("span", {className: "soft", text: `and ${many(status.file_rules)} of RULES_FILE, which come after these`})));
  at("rules-card").hidden = !items.length;
  at("rules").replaceChildren(...items);
}

// -- charts -----------------------------------------------------------------------------------------------------

const zoomed = (from, to) => { state.zoom = [from, to]; at("unzoom").hidden = false; at("zoom-hint").hidden = true; quietly(showCharts()); };
const charts = [
  new Chart("Pages per second", [{name: "pages/s", column: "pages_per_second", class: "s1", area: true}], {zoomed}),
  new Chart("Bandwidth", [{name: "received", column: "wire_bytes_per_second", class: "s3", area: true}, {name: "limit", column: "bandwidth_cap", limit: true}], {scale: 1000, unit: " KB/s", zoomed}),
  new Chart("URLs", [{name: "queued", column: "queued", class: "s2", area: true}, {name: "known", column: "seen", class: "s1"}], {zoomed}),
  new Chart("Hosts", [{name: "waiting", column: "hosts_waiting", class: "s1"}, {name: "ready", column: "hosts_ready", class: "s3"},
    {name: "parked", column: "hosts_parked", class: "s2"}, {name: "connections", column: "connections", class: "s4"}], {zoomed}),
];
at("charts").append(...charts.map(chart => chart.card));

async function showCharts() {
  const now = Date.now() / 1000;
  const [from, to] = state.zoom || [state.range ? now - state.range : 0, now];
  const data = await ask(`/api/progress?since=${from.toFixed(3)}&points=600`);
  const last = data.time.length ? data.time[data.time.length - 1] : now;
  const first = data.time.length ? data.time[0] : now - 60;
  // A crawl that is younger than the period fills the chart all the same.
  const range = state.zoom || [Math.max(from, first), Math.max(last, first + 10)];
  charts.forEach(chart => chart.show(data, range));
}

function choose(group, button) {
  group.querySelectorAll("button").forEach(each => each.setAttribute("aria-pressed", String(each === button)));
}
at("ranges").addEventListener("click", event => {
  const button = event.target.closest("button");
  if (!button) return;
  choose(at("ranges"), button);
  state.range = Number(button.dataset.range);
  unzoom();
});
function unzoom() { state.zoom = null; at("unzoom").hidden = true; at("zoom-hint").hidden = false; quietly(showCharts()); }
at("unzoom").addEventListener("click", unzoom);

// -- hosts --------------------------------------------------------------------------------------------------------

const dns = host => host.split(",").reverse().join(".");
function hostState(host) {
  const wait = host.ready_at - Date.now() / 1000;
  if (host.given_up) return ["bad", "given up"];
  if (host.parked) return ["warn", `parked ${span(Math.max(0, wait))}`];
  if (host.failure) return ["bad", host.failure === "busy" ? "429 or 503" : host.failure];
  if (!host.queued) return ["", "done"];
  return wait > 0 ? ["", `waits ${wait < 10 ? `${wait.toFixed(1)} s` : span(wait)}`] : ["good", "its turn"];
}

async function showHosts() {
  const path = state.find ? `/api/hosts?find=${encodeURIComponent(state.find)}` : `/api/hosts?sort=${state.sort}`;
  const found = await ask(`${path}&most=50`);
  at("host-empty").hidden = found.hosts.length > 0;
  at("host-empty").textContent = found.complete ? "No host in this list." : `Reading: ${many(found.read)} hosts so far.`;
  at("host-table").tBodies[0].replaceChildren(...found.hosts.map(host => {
    const [kind, words] = hostState(host);
    return el("tr", {className: host.host === state.host ? "chosen" : ""},
      el("td", {className: "name"}, el("button", {className: "link", text: dns(host.host), "data-host": host.host, click: () => openHost(host.host)})),
      el("td", {className: "number", text: many(host.queued)}), el("td", {className: "number", text: many(host.finished)}),
      el("td", {className: "number wide", text: many(host.failed)}), el("td", {className: "number wide", text: host.busy ? many(host.busy) : "–"}), el("td", {className: "number wide", text: host.seconds ? brief(host.seconds) : "–"}),
      el("td", {className: "wide"}, el("span", {className: `tag ${kind}`, text: words})));
  }));
}
function openHost(host) { state.host = host; quietly(showHost().then(() => { if (innerWidth <= 900) at("host").scrollIntoView({block: "start"}); })); quietly(showHosts()); }

const statusTag = page => el("span", {className: `tag ${page.status >= 400 || page.status === 0 ? "bad" : page.status >= 300 ? "" : "good"}`, text: page.status || page.reason || "none"});
const clock = seconds => seconds ? new Date(seconds * 1000).toLocaleTimeString("en-GB") : "–";

async function showHost() {
  if (!state.host) return;
  const name = state.host, host = await ask(`/api/hosts/${encodeURIComponent(name)}`);
  if (name !== state.host) return;
  const box = at("host"), surt = `${name})`, [kind, words] = hostState(host), may = state.role === "operator";
  const number = (title, text, label, value, said) => () => askFor({title: `${title}: ${host.name}`, text, go: "Set",
    fields: [{name: "value", label, type: "number", value}], act: given => act({...said, [said.key]: Number(given.value), key: undefined}, `${title} set`)}).then(() => quietly(showHost()));
  const button = (text, verb, click, className = "") => { const made = el("button", {text, className, "data-host-verb": verb, click: () => quietly(Promise.resolve(click()))}); made.disabled = !may; return made; };
  const facts = [["queued", many(host.queued)], ["done", many(host.finished)], ["failed", many(host.failed)], ["429 and 503", many(host.busy)], ["delay", `${host.delay.toFixed(1)} s`],
    ["last fetch", host.seconds ? brief(host.seconds) : "none"], ["crawl-delay", host.crawl_delay ? `${host.crawl_delay} s` : "none"], ["address", host.address || "unknown"]];
  const scrolled = box.scrollTop;
  box.replaceChildren(
    el("div", {className: "head"}, el("h3", {text: host.name}), el("span", {className: `tag ${kind}`, text: words})),
    el("div", {className: "buttons"},
      button("Block…", "block", () => VERBS.block(surt), "danger"),
      button("Delay…", "delay", number("Delay", "Seconds between two requests, unless robots.txt asks for more.", "Seconds", host.delay, {action: "delay", surt, key: "seconds"})),
      button("Max pages…", "max-pages", number("Page quota", "URLs that are accepted of this host.", "Pages", host.accepted, {action: "max-pages", surt, key: "pages"})),
      button("Priority…", "priority", number("Priority", "−100 is fetched first, 100 last.", "Priority", 0, {action: "priority", surt, key: "priority"})),
      button("Park 1 h", "park", () => act({action: "park", host: name, seconds: 3600}, `Parked ${host.name}`)),
      button("Wake", "wake", () => act({action: "wake", host: name}, `Woke ${host.name}`))),
    el("div", {className: "facts"}, ...facts.map(([label, value]) => el("div", {}, el("span", {text: label}), value))),
    el("div", {className: "buttons"}, ...Object.entries(host.statuses).sort().map(([status, count]) => el("span", {className: `tag ${status >= 400 || status === "0" ? "bad" : status >= 300 ? "" : "good"}`, text: `${status === "0" ? "no response" : status} × ${count}`}))),
    el("h4", {text: "Recent requests"}), pageTable(host.recent.slice(0, 12), true),
    ...host.robots.flatMap(robots => [el("h4", {text: `robots.txt of ${robots.origin}: ${robots.verdict.replace("_", " ")} (${robots.reason})`}), ...(robots.text ? [el("pre", {className: "robots", text: robots.text})] : [])]),
    ...(host.queue.length ? [el("h4", {text: "Next in the queue, as of the last commit"}), el("pre", {className: "robots", text: host.queue.join("\n")})] : []));
  box.scrollTop = scrolled;
}
function pageTable(pages, ofHost) {
  const table = el("table", {}), body = el("tbody");
  for (const page of pages) body.append(el("tr", {}, el("td", {className: "nowrap soft", text: clock(page.time)}), el("td", {className: "tags"}, statusTag(page)),
    el("td", {className: "name", text: ofHost ? page.url.replace(/^https?:\/\/[^/]*/, "") || "/" : page.url})));
  table.append(body);
  return table;
}
at("sorts").addEventListener("click", event => {
  const button = event.target.closest("button");
  if (!button) return;
  choose(at("sorts"), button);
  state.sort = button.dataset.sort; state.find = ""; at("find").value = "";
  quietly(showHosts());
});
let typing = 0;
const later = work => { clearTimeout(typing); typing = setTimeout(() => quietly(work()), 200); };
at("find").addEventListener("input", () => { state.find = at("find").value.trim(); later(showHosts); });

// -- page log, reports, audit log -----------------------------------------------------------------------------------

async function showPages() {
  const pages = await ask(`/api/pages?most=100&filter=${encodeURIComponent(at("filter").value)}`);
  at("page-empty").hidden = pages.length > 0;
  at("page-table").tBodies[0].replaceChildren(...pages.map(page => el("tr", {},
    el("td", {className: "nowrap soft", text: clock(page.time)}), el("td", {className: "number"}, statusTag(page)), el("td", {className: "name", text: page.url}),
    el("td", {className: "wide nowrap", text: page.reason && page.status ? `${page.state} (${page.reason})` : page.state}), el("td", {className: "number wide", text: page.bytes ? many(page.bytes) : ""}),
    el("td", {className: "number wide", text: page.links || ""}))));
}
at("filter").addEventListener("input", () => later(showPages));

async function showReport(name) {
  state.report = name;
  [...at("reports").children].forEach(each => each.setAttribute("aria-pressed", String(each.dataset.report === name)));
  const written = (await ask("/api/reports")).includes(name);
  at("report").textContent = written ? await ask(`/api/reports/${name}`) : "Not written yet. “Write them now” does it.";
}
for (const name of ["crawl", "hosts", "mimetype", "responsecode", "seeds"])
  at("reports").append(el("button", {text: name, "data-report": name, "aria-pressed": "false", click: () => showReport(name)}));

async function showAudit() {
  const actions = await ask("/api/actions?most=50");
  at("audit-empty").hidden = actions.length > 0;
  at("audit").tBodies[0].replaceChildren(...actions.map(({time, who, action, result, ...rest}) => el("tr", {},
    el("td", {className: "nowrap soft", text: new Date(time).toLocaleString("en-GB")}),
    el("td", {className: "name"}, el("b", {text: action}), " ", Object.values(rest).map(value => typeof value === "object" ? JSON.stringify(value) : value).join(" ")),
    el("td", {className: "wide soft", text: who}), el("td", {}, el("span", {className: `tag ${result === "done" ? "good" : "bad"}`, text: result})))));
}

// -- keyboard and clock ------------------------------------------------------------------------------------------------

document.addEventListener("click", event => {
  const verb = event.target.closest("[data-verb]")?.dataset.verb;
  if (verb) quietly(Promise.resolve(VERBS[verb]()));
});
const KEYS = {p: ["pause or resume", () => at("pause").click()], b: ["block a site", () => document.querySelector("[data-verb=block]").click()],
  "/": ["find a host", () => at("find").focus()], f: ["filter the page log", () => at("filter").focus()],
  1: ["the last hour", () => at("ranges").children[0].click()], 2: ["the last day", () => at("ranges").children[1].click()],
  3: ["the whole crawl", () => at("ranges").children[2].click()], z: ["zoom out", unzoom], "?": ["this list", () => at("help").click()]};
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || at("dialog").open) return;
  if (event.target.matches("input, textarea")) { if (event.key === "Escape") event.target.blur(); return; }
  if (KEYS[event.key]) { event.preventDefault(); KEYS[event.key][1](); }
});
at("help").addEventListener("click", () => {
  quietly(askFor({title: "Keyboard", go: "Close", text: "In a chart the arrow keys move the guide."}));
  at("dialog-cancel").hidden = true;
  at("dialog-fields").replaceChildren(el("dl", {}, ...Object.entries(KEYS).flatMap(([key, [words]]) => [el("dt", {}, el("kbd", {text: key})), el("dd", {text: words})])));
});
at("log-out").addEventListener("click", () => quietly(send("/api/logout", {}).then(() => location.reload())));

let events = null;
function listen() {
  events?.close();
  events = new EventSource("/api/events");
  events.addEventListener("status", event => showStatus(JSON.parse(event.data)));
  events.onerror = () => {
    state.lost = true;
    at("state").textContent = "no answer";
    at("state").className = "pill lost";
    at("why").textContent = "The crawl does not answer. It has ended, or the connection is lost; this page tries again.";
    document.querySelectorAll("[data-verb]").forEach(button => { button.disabled = true; });
    if (events.readyState === EventSource.CLOSED) setTimeout(listen, 5000);
  };
}
function refresh() { for (const work of [() => ask("/api/status").then(showStatus), showAudit, showHosts, showHost]) quietly(work()); }
function every(seconds, work) { setInterval(() => { if (!document.hidden && !state.lost && !loggingIn) quietly(work()); }, seconds * 1000); }

ask("/api/status").then(showStatus).then(() => {
  listen();
  for (const work of [showCharts, showHosts, showPages, showAudit, () => showReport("crawl")]) quietly(work());
}).catch(error => toast(error.message, true));
every(5, async () => { if (!state.zoom) await showCharts(); });
every(5, showHosts);
every(5, showHost);
every(3, async () => { if (at("live").checked) await showPages(); });
every(15, showAudit);
