import { lazy, Suspense } from "react";
import { SkeletonRows } from "../../primitives/skeleton.tsx";
import type { DiffProps } from "./diff-view.tsx";

const CodeView = lazy(() => import("./code-view.tsx"));
const DiffView = lazy(() => import("./diff-view.tsx"));

/** The editor comes when the first text is shown. */
export function Code(props: { text: string; label: string }) {
  return (
    <Suspense fallback={<SkeletonRows rows={8} height={20} />}>
      <CodeView {...props} />
    </Suspense>
  );
}

export function Diff(props: DiffProps) {
  if (props.before === props.after) return <p className="note dim">No difference.</p>;
  if (props.before === "" || props.after === "")
    return (
      <div className={props.before === "" ? "one-sided added" : "one-sided removed"}>
        <Code text={props.before + props.after} label={props.label} />
      </div>
    );
  return (
    <Suspense fallback={<SkeletonRows rows={6} height={20} />}>
      <DiffView {...props} />
    </Suspense>
  );
}
