import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const highlight = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--code-key)" },
  { tag: [tags.string, tags.content], color: "var(--code-text)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
  { tag: tags.comment, color: "var(--text-dim)" },
]);

const look = EditorView.theme({
  "&": { backgroundColor: "transparent", color: "var(--text)", fontSize: "12.5px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--text-dim)", border: "none" },
  ".cm-content": { caretColor: "transparent" },
  "&.cm-focused": { outline: "none" },
  ".cm-insertedLine": { background: "none", textDecoration: "none" },
  ".cm-changedLine, &.cm-merge-b .cm-changedLine": { backgroundColor: "var(--added)" },
  "&.cm-merge-a .cm-changedLine, .cm-deletedChunk": { backgroundColor: "var(--removed)" },
  ".cm-changedText, &.cm-merge-b .cm-changedText": { background: "var(--added-strong)" },
  "&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText": { background: "var(--removed-strong)" },
  // The page's text colour stays readable on any of the marks, syntax colours do not.
  ".cm-changedText, .cm-changedText span, .cm-deletedText, .cm-deletedText span": { color: "var(--text)" },
  ".cm-deletedChunk del": { textDecoration: "none" },
  ".cm-collapsedLines": {
    padding: "3px 12px",
    border: "0",
    background: "var(--sunken)",
    color: "var(--text-dim)",
    font: "12px/1.4 var(--font)",
  },
  ".cm-changeGutter": { width: "3px", padding: "0" },
  "&.cm-editor .cm-changedLineGutter": { background: "var(--good)" },
  "&.cm-editor .cm-deletedLineGutter, &.cm-editor.cm-merge-a .cm-changedLineGutter": {
    background: "var(--bad)",
  },
});

/** Read-only YAML in the page's colours. */
export function readOnlyYaml(label: string): Extension {
  return [
    lineNumbers(),
    yaml(),
    syntaxHighlighting(highlight),
    look,
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
  ];
}
