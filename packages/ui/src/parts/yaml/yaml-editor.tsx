import { type KeyboardEvent, useId, useMemo, useRef, useState } from "react";
import { choicesAt, type FieldChoice, type Schema } from "./schema-choices.ts";
import { placeAt } from "./yaml-place.ts";

interface Props {
  label: string;
  text: string;
  schema?: Schema | undefined;
  onChange(text: string): void;
}

const shownAtMost = 12;

/** YAML as it is typed; below it what may stand where the caret is. Ctrl and Space, or a click, takes the first. */
export function YamlEditor({ label, text, schema, onChange }: Props) {
  const area = useRef<HTMLTextAreaElement>(null);
  const [caret, setCaret] = useState(0);
  const hintId = useId();
  const place = useMemo(() => placeAt(text, Math.min(caret, text.length)), [text, caret]);
  const choices = useMemo(() => (schema ? choicesAt(schema, place) : []), [schema, place]);
  const take = (choice: FieldChoice | undefined) => {
    const field = area.current;
    if (!choice || !field) return;
    field.focus();
    field.setSelectionRange(place.from, caret);
    insert(field, choice.text);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === " " && event.ctrlKey) {
      event.preventDefault();
      take(choices[0]);
    } else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      const { value, selectionStart } = event.currentTarget;
      insert(event.currentTarget, `\n${indentAfter(value, selectionStart)}`);
    }
  };
  return (
    <div className="yaml-editor">
      <textarea
        ref={area}
        className="code-field"
        spellCheck={false}
        aria-label={label}
        aria-describedby={schema && hintId}
        value={text}
        onChange={({ target }) => {
          onChange(target.value);
          setCaret(target.selectionStart);
        }}
        onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart)}
        onKeyDown={onKeyDown}
      />
      {schema && (
        <div className="yaml-choices" id={hintId}>
          <span className="dim">
            {place.path.length > 0 ? place.path.join(".").replace(/(^|\.)\*/g, "[]") : "Top"}
            {choices.length > 0 && ": "}
          </span>
          {choices.slice(0, shownAtMost).map((choice) => (
            <button
              type="button"
              key={choice.label}
              className="chip"
              title={choice.description || undefined}
              onClick={() => take(choice)}
            >
              {choice.label}
            </button>
          ))}
          {choices.length > shownAtMost && (
            <span className="dim">and {choices.length - shownAtMost} more: type on</span>
          )}
        </div>
      )}
    </div>
  );
}

/** By the browser's own command, which keeps its way back; where there is none, the text is set. */
function insert(field: HTMLTextAreaElement, text: string): void {
  if (document.execCommand("insertText", false, text)) return;
  field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

/** As deep as the line before, deeper behind a name without a value. */
function indentAfter(text: string, caret: number): string {
  const line = text.slice(text.lastIndexOf("\n", caret - 1) + 1, caret);
  const indent = /^ *(?:- +)*/.exec(line)?.[0].length ?? 0;
  return " ".repeat(/:\s*$/.test(line) ? indent + 2 : indent);
}
