import { Glyph } from "../../primitives/glyph.tsx";
import { healthLook } from "../../primitives/states.ts";
import { resourceTitle } from "../../resource-id.ts";
import { shownNotes, unwellPods } from "./display-tree.ts";
import { infoValue, statesOf, type TreeItem } from "./tree-items.ts";

interface Props {
  pods: readonly TreeItem[];
  selected: string | undefined;
  /** Tab reaches the first of them; in the picture arrow keys reach the others. */
  focusable?: boolean;
  open(pod: TreeItem): void;
}

/** A glyph for each Pod. */
export function PodGrid({ pods, selected, focusable, open }: Props) {
  return (
    <span className="pod-grid">
      {pods.map((pod, index) => {
        const look = healthLook(pod.health);
        return (
          <button
            key={pod.id}
            type="button"
            className={`pod${selected === pod.key ? " selected" : ""}`}
            tabIndex={focusable === undefined || (focusable && index === 0) ? 0 : -1}
            aria-label={resourceTitle(pod.resource) + statesOf(pod)}
            title={`${pod.resource.name}\n${look.word}${pod.message ? `: ${pod.message}` : ""}`}
            onClick={() => open(pod)}
          >
            <Glyph name={look.glyph} tone={look.tone} />
          </button>
        );
      })}
    </span>
  );
}

/** Why the worst of them are unwell. */
export function PodNotes({ pods, open }: Pick<Props, "pods" | "open">) {
  return unwellPods(pods)
    .slice(0, shownNotes)
    .map((pod) => (
      <button
        key={pod.id}
        type="button"
        className={`pod-note tone-${healthLook(pod.health).tone}`}
        tabIndex={-1}
        onClick={() => open(pod)}
      >
        <code>…{pod.resource.name.slice(-5)}</code>
        <span>{infoValue(pod, "Status Reason") ?? pod.message ?? pod.health}</span>
      </button>
    ));
}
