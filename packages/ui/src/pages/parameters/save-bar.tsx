import type { ApplicationSource } from "@capstan/model";
import { Diff } from "../../parts/code/lazy-code.tsx";
import { toYaml } from "../../parts/code/to-yaml.ts";
import { Button } from "../../primitives/button.tsx";
import { Problem } from "../../primitives/problem.tsx";
import { readDraft } from "./draft.ts";
import type { Problems } from "./problems.ts";
import type { SourceDraft } from "./use-source-draft.ts";
import { writeDraft } from "./write-draft.ts";

interface Props {
  edit: SourceDraft;
  /** As it is in the cluster now. */
  source: ApplicationSource;
  problems: Problems;
  /** The refusal is shown at a field already. */
  isRefusedAt: string | undefined;
}

/** What saving would change, before the button. */
export function SaveBar({ edit, source, problems, isRefusedAt }: Props) {
  const { draft, isBehind, isSaving, failure } = edit;
  const isWrong = problems.size > 0;
  return (
    <section className="save-bar" aria-label="Changes">
      {isBehind && (
        <div className="note behind" role="alert">
          Someone else has changed this source since you began.{" "}
          <Button onClick={edit.catchUp}>Put my changes on top of theirs</Button>
        </div>
      )}
      {failure !== undefined && (
        <Problem
          title={isRefusedAt ? "Nothing was saved: see the field above" : "Nothing was saved"}
          failure={failure}
        />
      )}
      {!isWrong && (
        <details>
          <summary>What changes in the Application</summary>
          <Diff
            before={toYaml(source)}
            after={toYaml(after(source, draft))}
            label="The source"
            sideBySide={false}
          />
        </details>
      )}
      <div className="save-line">
        <span className={isWrong ? "field-problem" : "dim"}>{sentence(edit, problems)}</span>
        <Button onClick={edit.discard}>Discard</Button>
        <Button look="primary" type="submit" busy={isSaving} disabled={isWrong || isBehind}>
          Save
        </Button>
      </div>
    </section>
  );
}

function after(source: ApplicationSource, draft: SourceDraft["draft"]): ApplicationSource {
  return JSON.stringify(readDraft(source)) === JSON.stringify(draft) ? source : writeDraft(source, draft);
}

function sentence({ isSaving }: SourceDraft, problems: Problems): string {
  if (problems.size === 1) return "1 field is not right yet";
  if (problems.size > 1) return `${problems.size} fields are not right yet`;
  return isSaving ? "It is rendered with them first" : "Not saved yet";
}
