// Steps through the match that the page has in itself; it works from a file, too.
"use strict";

{
  const { lines, steps, deals } = JSON.parse(document.querySelector("#match").textContent);
  const PAUSE = 1000; // milliseconds between two steps that are played
  const starts = deals.map((_, deal) => deals.slice(0, deal).reduce((sum, size) => sum + size, 0));
  const position = document.querySelector("#position");
  const buttons = document.querySelector(".ways");
  let at = 0;
  let playing = 0;

  function show(step) {
    at = Math.min(Math.max(step, 0), steps.length - 1);
    position.innerHTML = steps[at].map((line) => lines[line]).join("\n");
    const deal = starts.findLastIndex((start) => start <= at);
    history.replaceState(null, "", `#${deal + 1}.${at - starts[deal] + 1}`);
    if (at === steps.length - 1) setPlaying(false);
  }

  function setPlaying(on) {
    clearInterval(playing);
    playing = on ? setInterval(() => show(at + 1), PAUSE) : 0;
    buttons.querySelector('[data-key="p"]').textContent = playing ? "Pause" : "Play";
  }

  const actions = {
    ArrowLeft: () => show(at - 1),
    ArrowRight: () => show(at + 1),
    D: () => show(starts.findLast((start) => start < at) ?? 0),
    d: () => show(starts.find((start) => start > at) ?? steps.length - 1),
    g: () => show(0),
    G: () => show(steps.length - 1),
    p: () => setPlaying(!playing),
  };

  function jump() {
    const [deal, step] = location.hash.slice(1).split(".").map(Number);
    const start = starts[deal - 1];
    if (start !== undefined) show(start + (step || 1) - 1);
  }

  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || !(event.key in actions)) return;
    event.preventDefault();
    actions[event.key]();
  });
  buttons.addEventListener("click", (event) => actions[event.target.dataset.key]?.());
  addEventListener("hashchange", jump);
  buttons.hidden = false;
  if (location.hash) jump();
}
