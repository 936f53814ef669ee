import { type FormEvent, useDeferredValue, useState } from "react";
import { Code } from "../../parts/code/lazy-code.tsx";
import { toYaml } from "../../parts/code/to-yaml.ts";
import { RefusedTo } from "../../parts/forms/rightful.tsx";
import { paths } from "../../paths.ts";
import { Anchor } from "../../primitives/anchor.tsx";
import { Button } from "../../primitives/button.tsx";
import { CopyButton } from "../../primitives/copy-button.tsx";
import { Problem } from "../../primitives/problem.tsx";
import { createApplication } from "../../queries/actions.ts";
import { useClusters, useProjects, useRepositories } from "../../queries/places.ts";
import { useCanEach } from "../../queries/rights.ts";
import { goTo } from "../../url-state.ts";
import { blank, type NewApplication, toApplication, toCommand } from "./new-application.ts";

export function CreatePage() {
  const [form, setForm] = useState(blank);
  const [failure, setFailure] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const named = useDeferredValue(`${form.project}/${form.name || "*"}`);
  const [mayCreate] = useCanEach([{ resource: "applications", action: "create", object: named }]);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFailure(undefined);
    try {
      const { metadata } = await createApplication(toApplication(form));
      goTo(paths.application({ namespace: metadata.namespace ?? "argocd", name: metadata.name }));
    } catch (problem) {
      setFailure(problem);
      setBusy(false);
    }
  };
  return (
    <div className="create-page">
      <form onSubmit={submit} aria-labelledby="create-title">
        <h1 id="create-title">New application</h1>
        <Fields form={form} onChange={(patch) => setForm({ ...form, ...patch })} />
        {failure !== undefined && <Problem title={`Could not create ${form.name}`} failure={failure} />}
        <div className="form-foot">
          <Anchor href={paths.applications()} className="button">
            Cancel
          </Anchor>
          {mayCreate ? (
            <Button look="primary" type="submit" busy={busy}>
              Create {form.name}
            </Button>
          ) : (
            <RefusedTo verb={`create ${form.name || "applications"} in project ${form.project}`} />
          )}
        </div>
      </form>
      <Preview form={form} />
    </div>
  );
}

function Preview({ form }: { form: NewApplication }) {
  const command = toCommand(form);
  const yaml = toYaml(toApplication(form));
  return (
    <aside className="preview" aria-label="What is created">
      <h2>
        As a command <CopyButton text={command} label="Copy the command" />
      </h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{command}</pre>
      <h2>
        As YAML <CopyButton text={yaml} label="Copy the YAML" />
      </h2>
      <Code text={yaml} label="The new Application" />
    </aside>
  );
}

interface FieldsProps {
  form: NewApplication;
  onChange(patch: Partial<NewApplication>): void;
}

interface TextFieldProps extends FieldsProps {
  name: Exclude<keyof NewApplication, "automatic" | "prune" | "selfHeal" | "createNamespace">;
  label: string;
  hint?: string;
  list?: readonly string[];
}

function TextField({ form, onChange, name, label, hint, list }: TextFieldProps) {
  return (
    <label className="field">
      <span>{label}</span>
      <input
        name={name}
        required
        value={form[name]}
        list={list ? `list-${name}` : undefined}
        onChange={(event) => onChange({ [name]: event.target.value })}
      />
      {list && (
        <datalist id={`list-${name}`}>
          {list.map((value) => (
            <option key={value} value={value} />
          ))}
        </datalist>
      )}
      {hint && <span className="hint">{hint}</span>}
    </label>
  );
}

function Fields({ form, onChange }: FieldsProps) {
  const projects = useProjects().data?.items?.map(({ metadata }) => metadata.name);
  const repositories = useRepositories().data?.items?.map(({ repo }) => repo);
  const clusters = useClusters().data?.items?.map(({ server }) => server);
  const props = { form, onChange };
  return (
    <>
      <fieldset>
        <legend>What it is</legend>
        <TextField {...props} name="name" label="Name" hint="Lower-case letters, digits and dashes" />
        <TextField {...props} name="project" label="Project" list={projects ?? []} />
      </fieldset>
      <fieldset>
        <legend>From</legend>
        <TextField
          {...props}
          name="repository"
          label="Repository"
          list={repositories ?? []}
          hint="https, ssh or file URL"
        />
        <div className="field-pair">
          <TextField {...props} name="path" label="Path" hint="Directory in the repository" />
          <TextField {...props} name="revision" label="Revision" hint="Branch, tag, commit or HEAD" />
        </div>
      </fieldset>
      <fieldset>
        <legend>Into</legend>
        <div className="field-pair">
          <TextField {...props} name="cluster" label="Cluster" list={clusters ?? []} />
          <TextField {...props} name="namespace" label="Namespace" />
        </div>
        <Check {...props} name="createNamespace" label="Create the namespace if it is missing" />
      </fieldset>
      <fieldset>
        <legend>When</legend>
        <Check {...props} name="automatic" label="Sync by itself after each commit" />
        {form.automatic && (
          <>
            <Check {...props} name="prune" label="Delete what is no longer in git" />
            <Check {...props} name="selfHeal" label="Undo changes that are made in the cluster by hand" />
          </>
        )}
      </fieldset>
    </>
  );
}

interface CheckProps extends FieldsProps {
  name: "automatic" | "prune" | "selfHeal" | "createNamespace";
  label: string;
}

function Check({ form, onChange, name, label }: CheckProps) {
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={form[name]}
        onChange={(event) => onChange({ [name]: event.target.checked })}
      />
      <span>{label}</span>
    </label>
  );
}
