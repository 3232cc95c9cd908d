// Tables that scroll can be scrolled by keys. The theme wraps them after the page has been read.
window.addEventListener("load", () => requestAnimationFrame(() => {
  for (const wrap of document.querySelectorAll(".md-typeset__scrollwrap")) {
    if (wrap.scrollWidth > wrap.clientWidth) {
      wrap.tabIndex = 0;
      wrap.setAttribute("role", "region");
      wrap.setAttribute("aria-label", "Table, scrolls sideways");
    }
  }
}));
