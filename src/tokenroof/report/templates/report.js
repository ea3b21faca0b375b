"use strict";
(() => {
  const { figures, schemes } = JSON.parse(document.getElementById("tokenroof-figures").textContent);
  const darkness = window.matchMedia("(prefers-color-scheme: dark)");
  const AXIS_ROOM = 90; // beside a plot, where its definition does not say otherwise
  const TWO_PANELS = 860;
  const NARROW = 600;

  const stacked = (value) => {
    if (value === null || typeof value !== "object") return value;
    if (Array.isArray(value)) return value.map(stacked);
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) =>
        key === "legend" && each ? [key, { ...each, columns: 1 }] : [key, stacked(each)],
      ),
    );
  };

  // Panels side by side go below one another, and plots shrink, where the screen is narrow.
  const fitted = (spec, room) => {
    const { hconcat, vconcat, ...rest } = spec;
    const panels = (hconcat ?? vconcat)?.map((each) => fitted(each, room));
    if (hconcat && room >= TWO_PANELS) return { ...rest, hconcat: panels };
    if (panels) return { ...rest, vconcat: panels };
    const width = Math.max(120, room - (spec.usermeta?.room ?? AXIS_ROOM));
    return spec.width > width && room < TWO_PANELS ? { ...spec, width } : spec;
  };

  const shaped = (spec, room) => fitted(room < NARROW ? stacked(spec) : spec, room);

  const coloured = (spec, inks) => {
    let text = JSON.stringify(spec);
    for (const [name, value] of Object.entries(inks)) {
      text = text.replaceAll(JSON.stringify(name), JSON.stringify(value));
    }
    return JSON.parse(text);
  };

  const draw = async () => {
    const scheme = schemes[darkness.matches ? "dark" : "light"];
    for (const [name, spec] of Object.entries(figures)) {
      const figure = document.getElementById(`figure-${name}`);
      const place = figure.querySelector(".live");
      try {
        await vegaEmbed(place, coloured(shaped(spec, figure.clientWidth), scheme.inks), {
          actions: { export: true, source: false, compiled: false, editor: false },
          ast: true,
          config: scheme.config,
          downloadFileName: name,
          mode: "vega-lite",
          renderer: "svg",
        });
        figure.classList.add("drawn");
      } catch (problem) {
        figure.classList.remove("drawn"); // the still picture stays
        console.error(problem);
      }
    }
  };

  darkness.addEventListener("change", draw);
  let waiting = 0;
  let width = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth === width) return;
    width = window.innerWidth;
    clearTimeout(waiting);
    waiting = setTimeout(draw, 200);
  });
  draw();
})();
