import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { useEffect, useRef } from "react";
import { readOnlyYaml } from "./editor-look.ts";

export interface DiffProps {
  before: string;
  after: string;
  label: string;
  sideBySide: boolean;
}

const collapsed = { margin: 3, minSize: 6 } as const;

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
        gutter: true,
        parent,
      });
      return () => view.destroy();
    }
    const unified = unifiedMergeView({
      original: before.trimEnd(),
      mergeControls: false,
      collapseUnchanged: collapsed,
      gutter: true,
    });
    const state = EditorState.create({ doc: after.trimEnd(), extensions: [readOnlyYaml(label), unified] });
    const view = new EditorView({ state, parent });
    return () => view.destroy();
  }, [before, after, label, sideBySide]);
  return <div className={sideBySide ? "code diff beside" : "code diff"} ref={element} />;
}
