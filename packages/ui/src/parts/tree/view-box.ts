/** Where the picture stands in its window: screen = picture × scale + (x, y). */
export interface ViewBox {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Box extends Size {
  readonly x: number;
  readonly y: number;
}

const margin = 24;
const smallest = 0.2;
const largest = 2;
/** Below this the names cannot be read; then the place of interest comes before the whole. */
const readable = 0.72;

const clampScale = (scale: number) => Math.min(largest, Math.max(smallest, scale));

function fitBox(picture: Size, window: Size): ViewBox {
  const scale = clampScale(
    Math.min(1, (window.width - 2 * margin) / picture.width, (window.height - 2 * margin) / picture.height),
  );
  return {
    scale,
    x: Math.max(margin, Math.min((window.width - picture.width * scale) / 2, margin * 2)),
    y: Math.max(margin, Math.min((window.height - picture.height * scale) / 2, margin * 2)),
  };
}

/** The whole where it can be read, else the place that matters in a size that can. */
export function readableBox(picture: Size, window: Size, matters: Box): ViewBox {
  const whole = fitBox(picture, window);
  if (whole.scale >= readable) return whole;
  const centred = centreOn(matters, window, 0.9);
  // Beyond the picture there is nothing to look at.
  return { ...centred, x: Math.min(margin, centred.x), y: Math.min(margin, centred.y) };
}

export function centreOn(box: Box, window: Size, scale: number): ViewBox {
  return {
    scale,
    x: window.width / 2 - (box.x + box.width / 2) * scale,
    y: window.height / 2 - (box.y + box.height / 2) * scale,
  };
}

/** Zooms so that the point under the pointer stays there. */
export function zoomAt(view: ViewBox, factor: number, at: { x: number; y: number }): ViewBox {
  const scale = clampScale(view.scale * factor);
  const ratio = scale / view.scale;
  return { scale, x: at.x - (at.x - view.x) * ratio, y: at.y - (at.y - view.y) * ratio };
}

/** Moves only as far as needed to show the box. */
export function reveal(view: ViewBox, box: Box, window: Size): ViewBox {
  const left = box.x * view.scale + view.x;
  const top = box.y * view.scale + view.y;
  const right = left + box.width * view.scale;
  const bottom = top + box.height * view.scale;
  const shift = (low: number, high: number, size: number) => {
    if (low < margin) return margin - low;
    return high > size - margin ? size - margin - high : 0;
  };
  const x = shift(left, right, window.width);
  const y = shift(top, bottom, window.height);
  return x === 0 && y === 0 ? view : { ...view, x: view.x + x, y: view.y + y };
}

/** So that small moves need no new nodes. */
const usualBorder = 400;

/** Part of the picture that the window shows, with a border. */
export function shownPart(view: ViewBox, window: Size, border = usualBorder): Box {
  return {
    x: -view.x / view.scale - border,
    y: -view.y / view.scale - border,
    width: window.width / view.scale + 2 * border,
    height: window.height / view.scale + 2 * border,
  };
}

interface Standing {
  readonly x: number;
  readonly y: number;
  readonly node: { readonly id: string; readonly height: number };
}

export const nodeWidth = 252;

export const boxOf = ({ x, y, node }: Standing): Box => ({ x, y, width: nodeWidth, height: node.height });

export function overlaps(box: Box, part: Box): boolean {
  return (
    box.x < part.x + part.width &&
    box.x + box.width > part.x &&
    box.y < part.y + part.height &&
    box.y + box.height > part.y
  );
}

interface Change {
  readonly before: readonly Standing[];
  readonly after: readonly Standing[];
  /** The node that people are on. */
  readonly on: string | undefined;
  /** As the new picture would begin: where what was looked at is gone, as when all has become well and folds. */
  readonly begun: ViewBox;
}

/** Holds still what people look at when the picture is laid out anew: the node they are on, else one in the middle. */
export function steadied(view: ViewBox, window: Size, { before, after, on, begun }: Change): ViewBox {
  const now = new Map(after.map((entry) => [entry.node.id, entry]));
  const middle = {
    x: (window.width / 2 - view.x) / view.scale,
    y: (window.height / 2 - view.y) / view.scale,
  };
  let nearest: { was: Standing; is: Standing; far: number } | undefined;
  for (const was of before) {
    const is = now.get(was.node.id);
    const far = was.node.id === on ? -1 : Math.hypot(was.x - middle.x, was.y - middle.y);
    if (is && (nearest === undefined || far < nearest.far)) nearest = { was, is, far };
  }
  const held = nearest ? moved(view, nearest) : view;
  const part = shownPart(held, window, 0);
  return after.some((entry) => overlaps(boxOf(entry), part)) ? held : begun;
}

function moved(view: ViewBox, { was, is }: { was: Standing; is: Standing }): ViewBox {
  if (was.x === is.x && was.y === is.y) return view;
  return { ...view, x: view.x + (was.x - is.x) * view.scale, y: view.y + (was.y - is.y) * view.scale };
}
