"""Targets that are too small for a finger (WCAG 2.5.8): under 24 × 24 CSS pixels, and another one too near."""

from playwright.sync_api import Page

LEAST = 24
"""Pixels of a target's width and height, or of a circle around its middle that touches no other target."""
SMALL = """([inside, least]) => {
  const roles = ["button", "tab", "option", "slider", "checkbox", "radio", "switch", "combobox"];
  const tags = "a[href], button, input, select, textarea, summary, [tabindex='0'], .modebar-btn";
  const kinds = [tags, ...roles.map(role => `[role=${role}]`)].join();
  const wraps = "label, [data-testid=stSlider] [data-rac][data-orientation][style]"; // a click on them is one on it
  const nodes = new Set(), up = node => node.parentElement ?? node.getRootNode().host;
  const walk = root => root.querySelectorAll("*").forEach(node => {
    if (node.shadowRoot) walk(node.shadowRoot);
    if (node.matches(kinds) && !node.disabled) nodes.add((node.localName === "input" && node.closest(wraps)) || node);
  });
  document.querySelectorAll(inside).forEach(walk);
  const seen = [...nodes].filter(node => node.checkVisibility({ visibilityProperty: true }))
    .map(node => ({ node, box: node.getBoundingClientRect() }))
    .filter(({ box }) => box.width > 1 && box.height > 1 && box.right > 0);
  const small = seen.filter(({ box }) => Math.min(box.width, box.height) < least - 0.5);
  const holds = (outer, inner) => { for (let node = inner; node; node = up(node)) if (node === outer) return true; };
  const middle = box => [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  const near = (box, other, isSmall) => {
    const [x, y] = middle(box), [a, b] = isSmall ? middle(other) : [x, y];
    const beside = [Math.max(other.left - x, 0, x - other.right), Math.max(other.top - y, 0, y - other.bottom)];
    return Math.hypot(...(isSmall ? [a - x, b - y] : beside)) < (isSmall ? least : least / 2) - 0.5;
  };
  const inSentence = node => getComputedStyle(node).display === "inline"
    && [...node.parentElement?.childNodes ?? []].some(each => each.nodeType === 3 && /\\w/.test(each.data));
  const crowded = ({ node, box }) => seen.some(other => !holds(other.node, node) && !holds(node, other.node)
    && near(box, other.box, small.includes(other)));
  return small.filter(each => !inSentence(each.node) && crowded(each)).map(({ node, box }) => {
    const name = node.getAttribute("aria-label") || node.dataset.title || node.textContent || node.className;
    return `${box.width.toFixed(0)} × ${box.height.toFixed(0)} px: ${node.localName} ${name.slice(0, 40)}`;
  });
}"""


def small_targets(page: Page, inside: str = "[data-testid='stMain']") -> list[str]:
    """List the targets that are too small, those in components included; not links inside a sentence.

    Args:
        page: as it is shown now.
        inside: selector of what is looked at; what lies above something else is looked at by itself.
    """
    return page.evaluate(SMALL, [inside, LEAST])
