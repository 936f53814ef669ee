import { EditorView } from "@codemirror/view";
import { useEffect, useRef } from "react";
import { readOnlyYaml } from "./editor-look.ts";

export default function CodeView({ text, label }: { text: string; label: string }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const parent = element.current;
    if (!parent) return;
    const view = new EditorView({ doc: text.trimEnd(), extensions: readOnlyYaml(label), parent });
    return () => view.destroy();
  }, [text, label]);
  return <div className="code" ref={element} />;
}
