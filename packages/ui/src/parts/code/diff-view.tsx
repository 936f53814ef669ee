import { Change, diff, MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { useEffect, useRef } from "react";
import { CopyButton } from "../../primitives/copy-button.tsx";
import { readOnlyYaml } from "./editor-look.ts";
import { lineChanges } from "./line-changes.ts";
import { patchText } from "./patch-text.ts";

export interface DiffProps {
  before: string;
  after: string;
  label: string;
  sideBySide: boolean;
}

const collapsed = { margin: 3, minSize: 6 } as const;

/** Lines that are longer, or more of them at once, differ as a whole. */
const longestCompared = 2_000;

/** By lines, and within lines that differ by words; the library's own goes over characters and gives up early. */
function changes(a: string, b: string): Change[] {
  return lineChanges(a, b).flatMap(({ fromA, toA, fromB, toB }) => {
    const isLong = toA - fromA + toB - fromB > longestCompared;
    if (isLong || fromA === toA || fromB === toB) return [new Change(fromA, toA, fromB, toB)];
    return diff(a.slice(fromA, toA), b.slice(fromB, toB), { scanLimit: 200 }).map(
      (one) => new Change(one.fromA + fromA, one.toA + fromA, one.fromB + fromB, one.toB + fromB),
    );
  });
}

const diffConfig = { override: changes };

/** Live at the left or in red, desired at the right or in green; unchanged parts are folded. */
export default function DiffView({ before, after, label, sideBySide }: DiffProps) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const parent = element.current;
    if (!parent) return;
    if (sideBySide) {
      const view = new MergeView({
        a: { doc: before.trimEnd(), extensions: readOnlyYaml(`${label}, live`) },
        b: { doc: after.trimEnd(), extensions: readOnlyYaml(`${label}, desired`) },
        collapseUnchanged: collapsed,
        diffConfig,
        gutter: true,
        parent,
      });
      return () => view.destroy();
    }
    const unified = unifiedMergeView({
      original: before.trimEnd(),
      mergeControls: false,
      collapseUnchanged: collapsed,
      diffConfig,
      gutter: true,
    });
    const state = EditorState.create({ doc: after.trimEnd(), extensions: [readOnlyYaml(label), unified] });
    const view = new EditorView({ state, parent });
    return () => view.destroy();
  }, [before, after, label, sideBySide]);
  return (
    <div className="diff-with-tools">
      <CopyButton
        text={() => patchText(`${label.replaceAll(" ", "-").toLowerCase()}.yaml`, before, after)}
        label="Copy as patch"
      />
      <div className={sideBySide ? "code diff beside" : "code diff"} ref={element} />
    </div>
  );
}
