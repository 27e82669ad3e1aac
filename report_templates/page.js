"use strict";
// Adds searching, filtering, folding and reviewing to a page that is complete without it. Text of the log only ever
// becomes textContent.
(() => {
  const $ = (selector, root = document) => root.querySelector(selector);
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
  const make = (name, css, text) => {
    const node = document.createElement(name);
    if (css) node.className = css;
    if (text !== undefined) node.textContent = text;
    return node;
  };
  const inflate = async (packed) => {
    let bytes;
    if (Uint8Array.fromBase64) bytes = Uint8Array.fromBase64(packed);
    else {
      const raw = atob(packed);
      bytes = new Uint8Array(raw.length);
      for (let at = 0; at < raw.length; at += 1) bytes[at] = raw.charCodeAt(at);
    }
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return new Response(stream).text();
  };

  // -- texts packed into a plain page --
  // A line that begins with the first control sign stands for lines of an earlier text.
  const wholes = new Map();
  const linesOf = (name) => {
    if (!wholes.has(name)) wholes.set(name, (async () => {
      const found = [];
      for (const line of (await inflate(document.getElementById(name).textContent)).split("\n")) {
        if (line.charCodeAt(0) !== 1) { found.push(line); continue; }
        const [pack, from, count] = line.slice(1).split(" ").map(Number);
        const other = await linesOf(`pack${pack}`);
        for (let at = from; at < from + count; at += 1) found.push(other[at]);
      }
      return found;
    })());
    return wholes.get(name);
  };
  const wholeOf = async (box) => (await linesOf(box.dataset.pack)).join("\n");
  const unpack = async (box) => {
    if (box.dataset.whole) return;
    box.dataset.whole = "yes";
    $("pre", box).textContent = await wholeOf(box);
    $(".left-out", box).remove();
  };
  document.addEventListener("toggle", (event) => {
    if (event.target.open) $$(":scope > .packed", event.target).forEach(unpack);
  }, true);
  const openTo = (node) => {
    for (let at = node; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  };

  const reveal = (node) => {
    for (let at = node; at; at = at.parentElement) if (at.classList.contains("message")) at.hidden = false;
  };
  // Text of a message without the sessions inside it and without what is packed.
  const ownText = (node) => {
    const found = [];
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, (one) => (
      one.nodeType === 1 && one.matches(".child, script") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT));
    while (walker.nextNode()) if (walker.currentNode.nodeType === 3) found.push(walker.currentNode.data);
    return found.join("");
  };

  // -- a list of messages: plain or virtual, the same questions --
  const plain = () => {
    const nodes = $$("#messages .message");
    const tags = nodes.map((node) => node.dataset.tags.split(" "));
    let texts = null;
    return {
      count: nodes.length,
      tags: (at) => tags[at],
      text: async (at) => {
        if (!texts) texts = [];
        if (texts[at] === undefined) {
          const packed = await Promise.all($$(".packed", nodes[at]).filter((one) => one.closest(".message") === nodes[at]).map(wholeOf));
          texts[at] = `${ownText(nodes[at])}\n${packed.join("\n")}`.toLowerCase();
        }
        return texts[at];
      },
      show: (keep) => {
        nodes.forEach((node, at) => { node.hidden = !keep[at]; });
        // What stands inside a hidden message would be hidden with it.
        nodes.forEach((node, at) => { if (keep[at]) reveal(node); });
      },
      go: async (at, words) => {
        const node = nodes[at];
        reveal(node);
        openTo(node);
        if (words) {
          for (const fold of $$("details", node)) {
            const holds = fold.textContent.toLowerCase().includes(words) || $(".packed", fold);
            if (holds) fold.open = true;
          }
          for (const box of $$(".packed", node)) await unpack(box);
        }
        nodes.forEach((one) => one.classList.toggle("here", one === node));
        node.scrollIntoView({ block: "start" });
        highlight(words, node);
      },
    };
  };

  const highlight = (words, root) => {
    if (!window.Highlight || !CSS.highlights) return;
    CSS.highlights.delete("found");
    if (!words) return;
    const ranges = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode() && ranges.length < 500) {
      const text = walker.currentNode.data.toLowerCase();
      for (let at = text.indexOf(words); at >= 0 && ranges.length < 500; at = text.indexOf(words, at + words.length)) {
        const range = new Range();
        range.setStart(walker.currentNode, at);
        range.setEnd(walker.currentNode, at + words.length);
        ranges.push(range);
      }
    }
    CSS.highlights.set("found", new Highlight(...ranges));
  };

  const virtual = async () => {
    const list = $("#list");
    list.hidden = false;
    // The list holds every message; what is written out serves readers without script, and paper.
    const excerpt = $("#excerpt");
    excerpt.classList.add("replaced");
    const scripts = $$("script.chunk");
    const index = JSON.parse(await inflate($("#index").textContent));
    const size = index.size;
    const count = index.rows.length;
    const packed = scripts.map((one) => one.textContent);
    scripts.forEach((one) => one.remove());
    const chunks = new Map();
    const load = (number) => {
      if (!chunks.has(number)) {
        chunks.set(number, inflate(packed[number]).then((text) => JSON.parse(text)));
        if (chunks.size > 24) chunks.delete(chunks.keys().next().value);
      }
      return chunks.get(number);
    };
    const anchors = new Map(index.rows.map((row, at) => [row[0], at]));
    let shown = index.rows.map((_, at) => at);
    const GUESS = 130;
    const heights = new Float32Array(count).fill(GUESS);
    let tops = new Float64Array(1);
    const measure = () => {
      tops = new Float64Array(shown.length + 1);
      for (let at = 0; at < shown.length; at += 1) tops[at + 1] = tops[at] + heights[shown[at]];
      room.style.height = `${tops[shown.length]}px`;
    };
    const room = make("div");
    room.style.position = "relative";
    list.append(room);
    const live = new Map();
    let words = "";
    let here = -1;
    const find = (offset) => {
      let low = 0;
      let high = shown.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (tops[middle + 1] <= offset) low = middle + 1; else high = middle;
      }
      return low;
    };
    const pieceNode = (piece) => {
      const box = make("div");
      let target = box;
      if (piece.f) {
        const fold = make("details", "fold");
        fold.append(make("summary", "", piece.f));
        box.append(fold);
        target = fold;
      }
      const pre = make("pre", piece.m);
      if (piece.r) for (const [css, text] of piece.r) pre.append(css ? make("span", css, text) : text);
      else if (piece.l) for (const [sign, text] of piece.l) {
        pre.append(make("span", { "+": "ins", "-": "del", "@": "hunk" }[sign] || "", sign === "@" ? text : sign + text), "\n");
      } else pre.textContent = piece.t;
      target.append(pre);
      return box;
    };
    const rowNode = (row, at) => {
      const node = make("article", `message ${row.r}`);
      node.setAttribute("aria-posinset", String(at + 1));
      node.setAttribute("aria-setsize", String(count));
      node.setAttribute("aria-label", `${row.w}, message ${row.l}`);
      const head = make("header", "message-head");
      const link = make("a", "permalink", row.l);
      link.href = `#${row.a}`;
      head.append(link, " ", make("b", "", row.w));
      for (const text of [row.t, row.n ? `line ${row.n}` : "", row.b, row.s]) if (text) head.append(make("span", "", text));
      const body = make("div", "message-body");
      for (const block of row.p) {
        const box = make("div", block.k === "call" ? `call${block.x ? " bad" : ""}` : block.k === "text" ? "" : `aside ${block.k}`);
        if (block.k === "call") {
          const label = make("p", "call-head");
          label.append(make("span", `tool ${block.o}`, block.n), " ", make("span", "status", block.s));
          box.append(label);
        } else if (block.n && block.k !== "reasoning") box.append(make("p", "aside-label", block.n));
        for (const piece of block.p) box.append(pieceNode(piece));
        body.append(box);
      }
      if (!row.p.length) body.append(make("p", "nothing", "This message is empty."));
      node.append(head, body);
      const told = index.rows[at][2] || [];
      if (told.length) {
        const notes = make("ul", "notes");
        for (const [kind, text, chapter] of told) {
          const item = make("li", `note ${kind}`);
          if (chapter) {
            const to = make("a", "", text);
            to.href = `#${chapter}`;
            item.append(to);
          } else item.textContent = text;
          notes.append(item);
        }
        node.append(notes);
      }
      node.addEventListener("toggle", () => requestAnimationFrame(settle), true);
      return node;
    };
    let drawing = 0;
    const draw = async () => {
      drawing += 1;
      const mine = drawing;
      const first = Math.max(0, find(list.scrollTop) - 4);
      const last = Math.min(shown.length - 1, find(list.scrollTop + list.clientHeight) + 6);
      const needed = new Set();
      for (let at = first; at <= last; at += 1) needed.add(Math.floor(shown[at] / size));
      const loaded = new Map();
      for (const number of needed) loaded.set(number, await load(number));
      if (mine !== drawing) return;
      const wanted = new Set();
      for (let at = first; at <= last; at += 1) wanted.add(shown[at]);
      for (const [at, node] of live) if (!wanted.has(at)) { node.remove(); live.delete(at); }
      for (let at = first; at <= last; at += 1) {
        const number = shown[at];
        let node = live.get(number);
        if (!node) {
          node = rowNode(loaded.get(Math.floor(number / size))[number % size], number);
          live.set(number, node);
          room.append(node);
          if (words && number === here) openMatches(node);
        }
        node.classList.toggle("here", number === here);
        node.style.top = `${tops[at]}px`;
      }
      settle();
    };
    const openMatches = (node) => {
      for (const fold of $$("details", node)) if (fold.textContent.toLowerCase().includes(words)) fold.open = true;
      highlight(words, node);
    };
    const settle = () => {
      const top = find(list.scrollTop);
      const before = list.scrollTop - tops[top];
      let changed = false;
      for (const [at, node] of live) {
        const height = node.offsetHeight;
        if (Math.abs(height - heights[at]) > 0.5) { heights[at] = height; changed = true; }
      }
      if (!changed) return;
      measure();
      const position = new Map(shown.map((at, order) => [at, order]));
      for (const [at, node] of live) node.style.top = `${tops[position.get(at)]}px`;
      list.scrollTop = tops[top] + before;
    };
    let waiting = false;
    list.addEventListener("scroll", () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => { waiting = false; draw(); });
    }, { passive: true });
    window.addEventListener("resize", () => draw());
    measure();
    await draw();
    // Only one chunk is held as text: a search reads them in order, and the whole would not fit twice.
    let held = -1;
    let texts = [];
    return {
      count,
      anchors,
      tags: (at) => index.rows[at][1],
      text: async (at) => {
        const number = Math.floor(at / size);
        if (held !== number) {
          texts = JSON.parse((await inflate(packed[number])).toLowerCase()).map(textOf);
          held = number;
        }
        return `${texts[at % size]}\n${textOf(index.rows[at][2] || []).toLowerCase()}`;
      },
      show: (keep) => {
        shown = [];
        for (let at = 0; at < count; at += 1) if (keep[at]) shown.push(at);
        live.forEach((node) => node.remove());
        live.clear();
        measure();
        list.scrollTop = 0;
        draw();
      },
      go: async (at, what) => {
        words = what || "";
        here = at;
        let order = shown.indexOf(at);
        if (order < 0) { shown = index.rows.map((_, number) => number); measure(); order = at; }
        for (let round = 0; round < 3; round += 1) {
          list.scrollTop = tops[order];
          await draw();
        }
        const node = live.get(at);
        if (node && words) openMatches(node);
        list.scrollIntoView({ block: "nearest" });
      },
    };
  };
  const textOf = (value) => {
    const found = [];
    const stack = [value];
    while (stack.length) {
      const one = stack.pop();
      if (typeof one === "string") found.push(one);
      else if (one && typeof one === "object") stack.push(...Object.values(one).reverse());
    }
    return found.join("\n");
  };

  // -- search and filters --
  const start = async () => {
    const messages = $("#list") ? await virtual() : plain();
    const tools = $(".tools");
    tools.hidden = false;
    $(".keys").hidden = false;
    const field = $("#find");
    const status = $("#matches");
    let matches = [];
    let at = -1;
    let asked = 0;
    const step = (by) => {
      if (!matches.length) return;
      at = (at + by + matches.length) % matches.length;
      status.textContent = `${at + 1} of ${matches.length}`;
      messages.go(matches[at], field.value.trim().toLowerCase());
    };
    const search = async () => {
      const words = field.value.trim().toLowerCase();
      asked += 1;
      const mine = asked;
      matches = [];
      at = -1;
      if (!words) { status.textContent = ""; return; }
      status.textContent = "searching";
      for (let number = 0; number < messages.count; number += 1) {
        if ((await messages.text(number)).includes(words)) matches.push(number);
        if (number % 250 === 249 && mine !== asked) return;
      }
      if (mine !== asked) return;
      status.textContent = `${matches.length || "no"} message${matches.length === 1 ? "" : "s"}`;
    };
    let timer = 0;
    field.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(search, 200); });
    field.addEventListener("keydown", async (event) => {
      if (event.key === "Enter") { clearTimeout(timer); if (at < 0) await search(); step(event.shiftKey ? -1 : 1); }
      if (event.key === "Escape") field.blur();
    });
    $("#next").addEventListener("click", () => step(1));
    $("#previous").addEventListener("click", () => step(-1));
    const filters = $$(".filter");
    filters.forEach((button) => button.addEventListener("click", () => {
      button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
      const wanted = filters.filter((one) => one.getAttribute("aria-pressed") === "true").map((one) => one.dataset.tag);
      const keep = [];
      for (let number = 0; number < messages.count; number += 1) {
        keep.push(!wanted.length || messages.tags(number).some((tag) => wanted.includes(tag)));
      }
      messages.show(keep);
      const left = keep.filter(Boolean).length;
      status.textContent = wanted.length ? `${left} of ${messages.count}` : "";
    }));
    const land = () => {
      const name = decodeURIComponent(location.hash.slice(1));
      if (!name) return;
      const node = document.getElementById(name);
      if (node && !node.closest(".replaced")) { reveal(node); openTo(node); node.scrollIntoView(); } else if (messages.anchors && messages.anchors.has(name)) {
        messages.go(messages.anchors.get(name));
      }
    };
    window.addEventListener("hashchange", land);
    land();
    return { field };
  };

  // -- reviewing --
  const VERDICTS = [["confirm", "Confirm"], ["dismiss", "Dismiss"], ["correct", "Correct"]];
  const key = `sessionlens:${document.body.dataset.session}`;
  let verdicts = {};
  try { verdicts = JSON.parse(localStorage.getItem(key)) || {}; } catch { verdicts = {}; }
  const save = () => { try { localStorage.setItem(key, JSON.stringify(verdicts)); } catch { /* kept in this page only */ } };
  const findings = $$(".finding");
  let now = -1;
  const bar = $(".review-bar");
  // What this browser knows comes before what the page was written with: it is later.
  const said = (node) => verdicts[node.dataset.fingerprint]
    || { verdict: node.dataset.verdict || null, note: node.dataset.note || "" };
  const count = make("span", "", "");
  const paint = (node) => {
    const { verdict, note } = said(node);
    for (const button of $$("button[data-verdict]", node)) {
      button.setAttribute("aria-pressed", String(verdict === button.dataset.verdict));
    }
    $(".note-shown", node).textContent = note || "";
    const judged = new Set(findings.filter((one) => said(one).verdict).map((one) => one.dataset.fingerprint));
    count.textContent = `Your review: ${judged.size} of ${new Set(findings.map((one) => one.dataset.fingerprint)).size} findings marked. `;
  };
  const put = (node, change) => {
    verdicts[node.dataset.fingerprint] = { ...said(node), ...change };
    save();
    // A finding may stand in two chapters.
    for (const one of findings) if (one.dataset.fingerprint === node.dataset.fingerprint) paint(one);
  };
  const judge = (node, verdict) => put(node, { verdict: said(node).verdict === verdict ? null : verdict });
  const remark = (node) => {
    const old = $(".remark", node);
    if (old) { $("textarea", old).focus(); return; }
    const box = make("div", "remark");
    const field = make("textarea");
    field.rows = 2;
    field.value = said(node).note || "";
    field.setAttribute("aria-label", "Note on this finding");
    const close = (keep) => {
      const note = field.value.trim();
      if (keep) put(node, { note, verdict: said(node).verdict || (note ? "correct" : null) });
      box.remove();
      node.focus({ preventScroll: true });
    };
    field.addEventListener("keydown", (event) => {
      if (event.key === "Escape") close(false);
      if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); close(true); }
    });
    const keep = make("button", "", "Keep note");
    keep.type = "button";
    keep.addEventListener("click", () => close(true));
    box.append(field, keep);
    node.append(box);
    field.focus();
  };
  const visit = (by) => {
    if (!findings.length) return;
    now = now < 0 && by < 0 ? findings.length - 1 : (now + by + findings.length) % findings.length;
    findings.forEach((one, at) => one.classList.toggle("now", at === now));
    openTo(findings[now]);
    findings[now].scrollIntoView({ block: "center" });
    findings[now].focus({ preventScroll: true });
  };
  for (const node of findings) {
    const row = make("div", "aside-review");
    for (const [verdict, text] of VERDICTS) {
      const button = make("button", "", text);
      button.type = "button";
      button.dataset.verdict = verdict;
      button.addEventListener("click", () => {
        judge(node, verdict);
        if (verdict === "correct" && said(node).verdict) remark(node);
      });
      row.append(button);
    }
    const note = make("button", "", "Note");
    note.type = "button";
    note.addEventListener("click", () => remark(node));
    row.append(note, make("span", "small note-shown"));
    node.append(row);
    node.addEventListener("focusin", () => { now = findings.indexOf(node); });
    paint(node);
  }
  if (findings.length) {
    const button = make("button", "", "Save review.json");
    button.type = "button";
    button.id = "save-review";
    button.addEventListener("click", () => {
      const done = new Map();
      for (const node of findings) {
        const { verdict, note } = said(node);
        if (verdict) done.set(node.dataset.fingerprint, { fingerprint: node.dataset.fingerprint, rule: node.dataset.rule, verdict, note: note || "" });
      }
      const body = { schema: "sessionlens.review/1", session: document.body.dataset.session, verdicts: [...done.values()] };
      const link = make("a");
      link.href = URL.createObjectURL(new Blob([`${JSON.stringify(body, null, 2)}\n`], { type: "application/json" }));
      link.download = "review.json";
      link.click();
      URL.revokeObjectURL(link.href);
    });
    bar.append(count, button, make("span", "small", " Keys: j k c d n, ? for all."));
    bar.hidden = false;
  }
  const help = $("#keys");
  $(".close", help).addEventListener("click", () => help.close());

  start().then(({ field }) => {
    document.documentElement.dataset.ready = "yes";
    performance.mark("ready");
    document.addEventListener("keydown", (event) => {
      if (help.open || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
      const node = findings[now];
      if (node && ["c", "d", "n"].includes(event.key)) openTo(node);
      if (event.key === "j") visit(1);
      else if (event.key === "k") visit(-1);
      else if (event.key === "c" && node) judge(node, "confirm");
      else if (event.key === "d" && node) judge(node, "dismiss");
      else if (event.key === "n" && node) { event.preventDefault(); remark(node); }
      else if (event.key === "/") { event.preventDefault(); field.focus(); field.select(); }
      else if (event.key === "?") { event.preventDefault(); help.showModal(); }
    });
  });
})();
