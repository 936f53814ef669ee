import { type FormEvent, useDeferredValue, useState } from "react";
import { toYaml } from "../../parts/code/to-yaml.ts";
import { ApplicationEditor } from "../../parts/edit/application-editor.tsx";
import { useEditedApplication } from "../../parts/edit/use-edited-application.ts";
import { RefusedTo } from "../../parts/forms/rightful.tsx";
import { paths } from "../../paths.ts";
import { Anchor } from "../../primitives/anchor.tsx";
import { Button } from "../../primitives/button.tsx";
import { CopyButton } from "../../primitives/copy-button.tsx";
import { Problem } from "../../primitives/problem.tsx";
import { createApplication } from "../../queries/actions.ts";
import { useCanEach } from "../../queries/rights.ts";
import { goTo } from "../../url-state.ts";
import { blank, toCommand } from "./new-application.ts";

const start = toYaml(blank);

/** By form, by YAML, or by the command that it shows. */
export function CreatePage() {
  const [text, setText] = useState(start);
  const edited = useEditedApplication(text, setText);
  const [failure, setFailure] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const { value } = edited;
  const { name = "" } = value?.metadata ?? {};
  const project = value?.spec.project || "default";
  const object = useDeferredValue(`${project}/${name || "*"}`);
  const [mayCreate] = useCanEach([{ resource: "applications", action: "create", object }]);
  const command = value && toCommand(value);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!value) return;
    setBusy(true);
    setFailure(undefined);
    try {
      const { metadata } = await createApplication(value);
      goTo(paths.application({ namespace: metadata.namespace ?? "argocd", name: metadata.name }));
    } catch (problem) {
      setFailure(problem);
      setBusy(false);
    }
  };
  return (
    <form className="create-page" onSubmit={submit} aria-labelledby="create-title">
      <h1 id="create-title">New application</h1>
      <ApplicationEditor edited={edited} isNew areMistakesShown={text !== start} />
      {command && (
        <section className="preview" aria-label="As a command">
          <h2>
            As a command <CopyButton text={command} label="Copy the command" />
          </h2>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
          <pre tabIndex={0}>{command}</pre>
        </section>
      )}
      {failure !== undefined && <Problem title={`Could not create ${name}`} failure={failure} />}
      <div className="form-foot">
        <Anchor href={paths.applications()} className="button">
          Cancel
        </Anchor>
        {mayCreate ? (
          <Button look="primary" type="submit" busy={busy} disabled={!value}>
            Create {name}
          </Button>
        ) : (
          <RefusedTo verb={`create ${name || "applications"} in project ${project}`} />
        )}
      </div>
    </form>
  );
}
