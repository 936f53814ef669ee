import { fileSchema } from "@capstan/model";
import { YamlEditor } from "../yaml/yaml-editor.tsx";
import { ApplicationForm } from "./application-form.tsx";
import type { EditedApplication } from "./use-edited-application.ts";

const schema = fileSchema("application");

interface Props {
  edited: EditedApplication;
  isNew: boolean;
  /** Nobody has made one yet where nothing has been typed. */
  areMistakesShown?: boolean;
}

/** A form and its YAML, side by side: either may be changed, and shows what the other says. */
export function ApplicationEditor({ edited, isNew, areMistakesShown = true }: Props) {
  const { text, value, mistakes, write, put } = edited;
  return (
    <div className="application-editor">
      <section className="editor-form" aria-label="As a form">
        {value ? (
          <ApplicationForm app={value} isNew={isNew} onChange={put} />
        ) : (
          <p className="note dim">The form comes back when the text is an Application again.</p>
        )}
      </section>
      <section className="editor-text" aria-label="As a text">
        <YamlEditor label="The Application as YAML" text={text} schema={schema} onChange={write} />
        {areMistakesShown && mistakes.length > 0 && (
          <ul className="mistakes" role="status">
            {mistakes.map((mistake) => (
              <li key={mistake} className="field-problem">
                {mistake}
              </li>
            ))}
          </ul>
        )}
      </section>
    </div>
  );
}
