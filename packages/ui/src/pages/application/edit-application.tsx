import type { Application } from "@capstan/model";
import { type FormEvent, useState } from "react";
import { Diff } from "../../parts/code/lazy-code.tsx";
import { shownObject } from "../../parts/code/object-text.ts";
import { toYaml } from "../../parts/code/to-yaml.ts";
import { ApplicationEditor } from "../../parts/edit/application-editor.tsx";
import {
  type Change,
  changesBetween,
  collisions,
  patchOf,
  withChanges,
} from "../../parts/edit/object-changes.ts";
import { useEditedApplication } from "../../parts/edit/use-edited-application.ts";
import { tell } from "../../parts/notices.tsx";
import type { AppRef } from "../../paths.ts";
import { Button } from "../../primitives/button.tsx";
import { Problem } from "../../primitives/problem.tsx";
import { patchFields } from "../../queries/actions.ts";
import { useKept } from "../../queries/kept.ts";
import { changeSearch } from "../../url-state.ts";

interface Props {
  app: Application;
  appRef: AppRef;
}

interface Kept {
  /** As it was when editing began. */
  readonly base: object;
  readonly text: string;
}

/** What a person may change of it. */
function editable(app: Application): object {
  const { operation: _running, ...rest } = shownObject(app, { noise: false, status: false }) ?? {};
  return rest;
}

const unchangeable = ["apiVersion", "kind", "metadata.name", "metadata.namespace"];

/** The Application as a form and as YAML; only fields that were changed are written, over what they were. */
export default function EditApplication({ app, appRef }: Props) {
  const [kept, keep] = useKept<Kept>(["application-draft", appRef.namespace, appRef.name]);
  const [failure, setFailure] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const live = editable(app);
  const base = kept?.base ?? live;
  const before = toYaml(base);
  const edited = useEditedApplication(kept?.text ?? before, (text) => {
    setFailure(undefined);
    keep(text === before ? undefined : { base, text });
  });
  const mine = edited.value ? changesBetween(base, edited.value) : [];
  const clashes = collisions(mine, changesBetween(base, live));
  const catchUp = () => keep({ base: live, text: toYaml(withChanges(live, mine)) });
  const discard = () => keep(undefined);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFailure(undefined);
    try {
      await patchFields(appRef, patchOf(mine, app));
      keep(undefined);
      tell(`Saved ${appRef.name}`);
      changeSearch({ edit: undefined });
    } catch (problem) {
      setFailure(problem);
    } finally {
      setBusy(false);
    }
  };
  const renamed = mine.find(({ path }) => unchangeable.includes(path.join(".")));
  return (
    <form className="edit-application" onSubmit={submit}>
      <ApplicationEditor edited={edited} isNew={false} />
      <section className="save-bar" aria-label="Changes">
        {clashes.length > 0 && <Behind clashes={clashes} onCatchUp={catchUp} />}
        {failure !== undefined && <Problem title="Nothing was saved" failure={failure} />}
        {mine.length > 0 && (
          <details>
            <summary>What changes in the Application</summary>
            <Diff before={before} after={toYaml(edited.value)} label="The Application" sideBySide={false} />
          </details>
        )}
        <div className="save-line">
          <span className={renamed ? "field-problem" : "dim"}>{sentence(mine, renamed)}</span>
          {kept && <Button onClick={discard}>Discard</Button>}
          <Button onClick={() => changeSearch({ edit: undefined })}>Close</Button>
          <Button
            look="primary"
            type="submit"
            busy={busy}
            disabled={mine.length === 0 || clashes.length > 0 || renamed !== undefined}
          >
            Save
          </Button>
        </div>
      </section>
    </form>
  );
}

function sentence(mine: readonly Change[], renamed: Change | undefined): string {
  if (renamed) return `${renamed.path.join(".")} cannot be changed: it says which Application this is`;
  if (mine.length === 0) return "Nothing is changed yet";
  return mine.length === 1 ? "1 field is changed" : `${mine.length} fields are changed`;
}

function Behind({ clashes, onCatchUp }: { clashes: readonly Change[]; onCatchUp(): void }) {
  return (
    <div className="note behind" role="alert">
      Someone else has changed {clashes.map(({ path }) => path.join(".")).join(", ")} since you began.{" "}
      <Button onClick={onCatchUp}>Put my changes on top of theirs</Button>
    </div>
  );
}
