(function () {
  "use strict";
  var root = document.documentElement;

  // Theme: the reader's system decides until the reader does.
  var toggle = document.getElementById("theme");
  var system = window.matchMedia("(prefers-color-scheme: dark)");
  function kept(value) {
    // Files opened from disk may be refused storage; the choice then lasts as long as the page.
    try {
      if (value === undefined) { return window.localStorage.getItem("backstay-theme"); }
      window.localStorage.setItem("backstay-theme", value);
    } catch (refused) { return null; }
    return value;
  }
  function show(theme) {
    root.setAttribute("data-theme", theme);
    toggle.textContent = theme === "dark" ? "Light theme" : "Dark theme";
  }
  show(kept() || (system.matches ? "dark" : "light"));
  toggle.hidden = false;
  toggle.addEventListener("click", function () {
    var next = root.getAttribute("data-theme") === "dark" ? "light" : "dark";
    show(next);
    kept(next);
  });
  system.addEventListener("change", function (event) {
    if (!kept()) { show(event.matches ? "dark" : "light"); }
  });

  // Figures: the nearest point tells its numbers, by mouse, touch or arrow keys.
  var figures = JSON.parse(document.getElementById("figures").textContent);
  var spoken = document.getElementById("spoken");
  // A heat map comes as rows and columns; its cells are put together here.
  function expand(data) {
    var grid = data.grid;
    data.labels = [];
    grid.values.forEach(function (line, i) {
      line.forEach(function (value, j) {
        var said = value === null ? "missing" : (Math.abs(value) < 0.005 ? 0 : value).toFixed(2);
        data.labels.push(grid.columns[j] + ", " + grid.rows[i] + ": " + said.replace("-", "\u2212"));
      });
    });
    ["wide", "narrow"].forEach(function (name) {
      var at = data[name], places = [];
      at.y.forEach(function (y) { at.x.forEach(function (x) { places.push([x, y, -1]); }); });
      data[name] = places;
    });
  }
  document.querySelectorAll(".plot").forEach(function (plot) {
    var data = figures[plot.getAttribute("data-figure")];
    if (data && data.grid) { expand(data); }
    if (!data || !data.labels.length) { return; }
    var tip = plot.querySelector(".tip"), at = -1, cursor = null;

    function shown() {
      var wide = plot.querySelector(".wide svg");
      var name = wide.getBoundingClientRect().width ? "wide" : "narrow";
      return { svg: plot.querySelector("." + name + " svg"), points: data[name] };
    }
    function hide() {
      tip.hidden = true;
      at = -1;
      if (cursor) { cursor.remove(); cursor = null; }
      bands(plot.dataset.only);
    }
    // The band of one series beside that of the recommended one; of it alone if it was picked.
    function bands(series) {
      plot.querySelectorAll(".band").forEach(function (band) {
        band.classList.toggle("on", band.getAttribute("data-s") === String(series));
      });
    }
    function point(index, speak) {
      var now = shown(), place = now.points[index];
      var box = now.svg.getBoundingClientRect(), frame = plot.getBoundingClientRect();
      var scale = box.width / now.svg.viewBox.baseVal.width;
      at = index;
      tip.textContent = data.labels[index];
      tip.hidden = false;
      var x = box.left - frame.left + place[0] * scale, y = box.top - frame.top + place[1] * scale;
      var left = Math.min(Math.max(x - tip.offsetWidth / 2, 0), frame.width - tip.offsetWidth);
      var top = y - tip.offsetHeight - 12;
      tip.style.left = left + "px";
      tip.style.top = (top < 0 ? y + 14 : top) + "px";
      if (cursor) { cursor.remove(); }
      cursor = document.createElementNS("http://www.w3.org/2000/svg", "circle");
      cursor.setAttribute("class", "cursor");
      cursor.setAttribute("cx", place[0]);
      cursor.setAttribute("cy", place[1]);
      cursor.setAttribute("r", 8);
      now.svg.appendChild(cursor);
      if (!plot.dataset.only && place[2] >= 0) { bands(place[2]); }
      if (speak) { spoken.textContent = data.labels[index]; }
    }
    function nearest(event) {
      var now = shown(), box = now.svg.getBoundingClientRect();
      var scale = box.width / now.svg.viewBox.baseVal.width, best = -1, least = 48 * 48;
      now.points.forEach(function (place, index) {
        var dx = place[0] * scale - (event.clientX - box.left);
        var dy = place[1] * scale - (event.clientY - box.top);
        // Only a series picked in the legend answers, if one is.
        var off = plot.dataset.only && place[2] >= 0 && String(place[2]) !== plot.dataset.only;
        if (!off && dx * dx + dy * dy < least) { least = dx * dx + dy * dy; best = index; }
      });
      if (best < 0) { hide(); } else { point(best, false); }
    }
    function step(event) {
      var n = data.labels.length, points = shown().points, next = at;
      if (event.key === "ArrowRight") { next = at < 0 ? 0 : (at + 1) % n; }
      else if (event.key === "ArrowLeft") { next = at < 0 ? n - 1 : (at + n - 1) % n; }
      else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        next = at < 0 ? 0 : across(points, at, event.key === "ArrowDown" ? 1 : -1);
      }
      else if (event.key === "Home") { next = 0; }
      else if (event.key === "End") { next = n - 1; }
      else if (event.key === "Escape") { hide(); return; }
      else { return; }
      event.preventDefault();
      point(next, true);
    }
    plot.addEventListener("pointermove", nearest);
    plot.addEventListener("pointerdown", nearest);
    plot.addEventListener("pointerleave", function (event) {
      if (event.pointerType === "mouse") { hide(); }
    });
    plot.addEventListener("keydown", step);
    plot.addEventListener("blur", hide);
  });
  // The point nearest in x of the next series up or down.
  function across(points, at, way) {
    var here = points[at], best = at, least = Infinity;
    points.forEach(function (place, index) {
      if ((place[1] - here[1]) * way <= 0) { return; }
      var far = Math.abs(place[0] - here[0]) * 20 + Math.abs(place[1] - here[1]);
      if (far < least) { least = far; best = index; }
    });
    return best;
  }

  // Legends: hover over a name to see its curve alone, click to keep it so.
  document.querySelectorAll(".group").forEach(function (group) {
    var kept = null;
    function only(series) {
      group.querySelectorAll(".plot").forEach(function (plot) {
        plot.classList.toggle("dim", series !== null);
        if (series === null) { delete plot.dataset.only; } else { plot.dataset.only = series; }
        plot.querySelectorAll("[data-s]").forEach(function (part) {
          part.classList.toggle("on", part.getAttribute("data-s") === series);
        });
      });
    }
    group.querySelectorAll(".legend button").forEach(function (button) {
      var series = button.getAttribute("data-series");
      button.addEventListener("pointerenter", function (event) {
        if (event.pointerType === "mouse") { only(series); }
      });
      button.addEventListener("pointerleave", function () { only(kept); });
      button.addEventListener("click", function () {
        kept = kept === series ? null : series;
        group.querySelectorAll(".legend button").forEach(function (other) {
          other.setAttribute("aria-pressed", String(other.getAttribute("data-series") === kept));
        });
        only(kept);
      });
    });
  });

  // Pictures: a figure as it is seen, with its legend, as SVG or PNG.
  function drawn(figure) {
    var plot = figure.querySelector(".plot");
    var seen = Array.from(plot.querySelectorAll("svg")).find(function (svg) {
      return svg.getBoundingClientRect().width > 0;
    });
    var copy = seen.cloneNode(true), box = seen.viewBox.baseVal;
    var group = figure.closest(".group") || figure, below = 0;
    copy.querySelectorAll(".cursor").forEach(function (one) { one.remove(); });
    group.querySelectorAll(".legend button").forEach(function (button, i) {
      var line = document.createElementNS(copy.namespaceURI, "g");
      var words = document.createElementNS(copy.namespaceURI, "text");
      var y = box.height + 12 + 18 * i;
      words.textContent = button.textContent;
      words.setAttribute("x", 44);
      words.setAttribute("y", 11);
      words.setAttribute("style", "font-size:11px;fill:var(--ink)");
      line.setAttribute("transform", "translate(8 " + y + ")");
      Array.from(button.querySelector("svg").childNodes).forEach(function (part) {
        line.appendChild(part.cloneNode(true));
      });
      line.appendChild(words);
      copy.appendChild(line);
      below = 20 + 18 * (i + 1);
    });
    var height = box.height + below;
    var back = document.createElementNS(copy.namespaceURI, "rect");
    back.setAttribute("width", box.width);
    back.setAttribute("height", height);
    back.setAttribute("style", "fill:var(--paper)");
    copy.insertBefore(back, copy.firstChild);
    copy.setAttribute("xmlns", copy.namespaceURI);
    copy.setAttribute("viewBox", "0 0 " + box.width + " " + height);
    copy.setAttribute("width", box.width);
    copy.setAttribute("height", height);
    copy.setAttribute("font-family", "system-ui, sans-serif");
    var colours = getComputedStyle(root);
    var text = new XMLSerializer().serializeToString(copy).replace(
      /var\((--[a-z0-9]+)\)/g, function (all, name) { return colours.getPropertyValue(name).trim(); });
    return { address: "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text), width: box.width, height: height };
  }
  function hand(address, name) {
    var link = document.createElement("a");
    link.href = address;
    link.download = name;
    link.click();
    root.setAttribute("data-saved", name);
  }
  document.querySelectorAll("[data-save]").forEach(function (button) {
    button.hidden = false;
    button.addEventListener("click", function () {
      var figure = button.closest(".fig"), picture = drawn(figure);
      var name = figure.querySelector(".plot").getAttribute("data-figure");
      if (button.getAttribute("data-save") === "svg") { hand(picture.address, name + ".svg"); return; }
      var image = new Image();
      image.onload = function () {
        var canvas = document.createElement("canvas");
        canvas.width = 3 * picture.width;
        canvas.height = 3 * picture.height;
        canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
        hand(canvas.toDataURL("image/png"), name + ".png");
      };
      image.src = picture.address;
    });
  });

  // Tables: sort by a column, and search.
  function value(cell) {
    var given = cell.getAttribute("data-v");
    if (given === null) { return (cell.querySelector(".name") || cell).textContent.trim().toLowerCase(); }
    return given === "" ? NaN : Number(given);
  }
  function order(a, b, way) {
    if (typeof a === "string") { return way * a.localeCompare(b, "en", { numeric: true }); }
    // What is undefined comes last, whichever way.
    if (isNaN(a) || isNaN(b)) { return isNaN(a) - isNaN(b); }
    return way * (a - b);
  }
  document.querySelectorAll("table.sortable").forEach(function (table) {
    var heads = Array.from(table.tHead.rows[0].cells), body = table.tBodies[0];
    heads.forEach(function (head, column) {
      var button = head.querySelector("button");
      if (!button) { return; }
      button.addEventListener("click", function () {
        var first = head.getAttribute("data-first") || "ascending";
        var now = head.getAttribute("aria-sort");
        var next = now === first ? (first === "ascending" ? "descending" : "ascending") : first;
        heads.forEach(function (other) { other.removeAttribute("aria-sort"); });
        head.setAttribute("aria-sort", next);
        var way = next === "ascending" ? 1 : -1;
        Array.from(body.rows)
          .map(function (row) { return [value(row.cells[column]), row]; })
          .sort(function (a, b) { return order(a[0], b[0], way); })
          .forEach(function (pair) { body.appendChild(pair[1]); });
      });
    });
  });
  document.querySelectorAll(".search").forEach(function (box) {
    var input = box.querySelector("input"), counter = box.querySelector("output");
    var rows = Array.from(document.getElementById(input.getAttribute("aria-controls")).tBodies[0].rows);
    box.hidden = false;
    input.addEventListener("input", function () {
      var sought = input.value.trim().toLowerCase(), found = 0;
      rows.forEach(function (row) {
        var said = Array.from(row.querySelectorAll(".name, .said")).map(function (part) { return part.textContent; });
        var text = said.join(" ") + " " + (row.querySelector(".partners") || row.cells[0]).textContent;
        row.hidden = text.toLowerCase().indexOf(sought) < 0;
        found += row.hidden ? 0 : 1;
      });
      counter.textContent = sought ? found + " of " + rows.length + " rows" : "";
    });
  });

  // What is linked to is not left folded.
  function unfold() {
    var target = document.getElementById(decodeURIComponent(window.location.hash.slice(1)));
    var folded = target && target.querySelector(":scope > details");
    if (folded) { folded.open = true; }
  }
  window.addEventListener("hashchange", unfold);
  unfold();

  // A table wider than its frame says so.
  function sideways() {
    document.querySelectorAll(".sideways").forEach(function (hint) {
      var frame = hint.nextElementSibling;
      hint.hidden = frame.scrollWidth <= frame.clientWidth + 1;
    });
  }
  sideways();
  window.addEventListener("resize", sideways);

  // Contents: mark the part being read.
  var links = new Map();
  document.querySelectorAll(".contents li li a").forEach(function (link) {
    links.set(link.getAttribute("href").slice(1), link);
  });
  if ("IntersectionObserver" in window) {
    var seen = new IntersectionObserver(function (entries) {
      entries.forEach(function (entry) {
        if (!entry.isIntersecting) { return; }
        links.forEach(function (link) { link.removeAttribute("aria-current"); });
        links.get(entry.target.id).setAttribute("aria-current", "true");
      });
    }, { rootMargin: "-20% 0px -70% 0px" });
    links.forEach(function (link, id) { seen.observe(document.getElementById(id)); });
  }
})();
