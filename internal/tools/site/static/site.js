// What scrolls sideways can be scrolled by keys. The theme wraps tables after the page has been read, and takes blocks of
// code from the keys where it finds no mouse.
addEventListener("load", () => requestAnimationFrame(() => {
  const reach = element => {
    if (element.tabIndex !== 0 && element.scrollWidth > element.clientWidth) element.tabIndex = 0;
  };
  const again = new MutationObserver(changes => changes.forEach(c => reach(c.target)));
  for (const element of document.querySelectorAll("pre > code, .md-typeset__scrollwrap")) {
    reach(element);
    again.observe(element, {attributeFilter: ["tabindex"]});
  }
  addEventListener("resize", () => document.querySelectorAll("pre > code, .md-typeset__scrollwrap").forEach(reach));
}));
