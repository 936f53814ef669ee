/** What stands below one another on a page and leads somewhere. */
const rows = ".data-table tbody tr, .tree-entry, .deployment, .diff-box, .tile, .event";
const leads = "a[href], button:enabled";

/** To the next of them that can take the focus, or the one before; at first to the first in view. */
export function moveFocus(step: 1 | -1): void {
  const places = [...document.querySelectorAll<HTMLElement>(`#content :is(${rows})`)].flatMap((row) => {
    const place = row.matches(leads) ? row : row.querySelector<HTMLElement>(leads);
    return place ? [{ row, place }] : [];
  });
  const at = places.findIndex(({ row }) => row.contains(document.activeElement));
  const next = at < 0 ? 0 : Math.min(Math.max(at + step, 0), places.length - 1);
  const place = places[next]?.place;
  place?.focus();
  place?.scrollIntoView({ block: "nearest" });
}
