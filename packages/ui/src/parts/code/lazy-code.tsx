import { lazyPart } from "../../primitives/lazy-part.tsx";
import type { DiffProps } from "./diff-view.tsx";

/** The editor comes when the first text is shown. */
export const Code = lazyPart("The view of texts", () => import("./code-view.tsx"), { rows: 8, height: 20 });
const DiffView = lazyPart("The view of differences", () => import("./diff-view.tsx"), {
  rows: 6,
  height: 20,
});

export function Diff(props: DiffProps) {
  if (props.before === props.after) return <p className="note dim">No difference.</p>;
  if (props.before === "" || props.after === "")
    return (
      <div className={props.before === "" ? "one-sided added" : "one-sided removed"}>
        <Code text={props.before + props.after} label={props.label} />
      </div>
    );
  return <DiffView {...props} />;
}
