// A page that is opened as a file may not read its neighbours: a search there shows titles alone.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;

// The playground on the home page is as light or as dark as the page around it.
function passThemeOn() {
  const frame = document.querySelector("iframe.playground");
  frame?.contentWindow?.postMessage({ theme: document.documentElement.dataset.theme }, "*");
}
window.addEventListener("DOMContentLoaded", () => {
  document.querySelector("iframe.playground")?.addEventListener("load", passThemeOn);
  new MutationObserver(passThemeOn).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  passThemeOn();
});
