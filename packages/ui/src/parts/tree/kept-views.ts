import { BoundedMap } from "@capstan/flow";
import type { ViewBox } from "./view-box.ts";

/** How a picture was left: where it stood, and what was opened or closed in it. */
interface KeptView {
  readonly view?: ViewBox;
  readonly flipped?: ReadonlySet<string>;
}

/** The last so many pictures; the page keeps them as long as it is open. */
const keptAtMost = 50;
const kept = new BoundedMap<KeptView>(keptAtMost);

export function keptView(name: string): KeptView {
  return kept.get(name) ?? {};
}

export function keepView(name: string, part: KeptView): void {
  kept.set(name, { ...kept.get(name), ...part });
}
