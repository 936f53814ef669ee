import { type SubjectKind, subjectKinds } from "@capstan/wire";
import { type FormEvent, useState } from "react";
import { Rightful } from "../../parts/forms/rightful.tsx";
import { Button } from "../../primitives/button.tsx";
import { Glyph } from "../../primitives/glyph.tsx";
import { Problem } from "../../primitives/problem.tsx";
import { askRightsOf } from "../../queries/rights.ts";

const words: Record<SubjectKind, string> = {
  account: "Local account",
  role: "Role or its token",
  user: "User of the provider",
  group: "Group of the provider",
};

/** What people ask for, as policies name it. */
const actions = [
  "get",
  "sync",
  "create",
  "update",
  "delete",
  "override",
  "rollback",
  "action/*",
  "logs",
  "exec",
];

/** Logs and terminals are things of their own in policies. */
function rightFor(action: string, object: string) {
  if (action === "logs") return { resource: "logs", action: "get", object };
  if (action === "exec") return { resource: "exec", action: "create", object };
  return { resource: "applications", action, object };
}

interface Asked {
  readonly kind: SubjectKind;
  readonly subject: string;
  readonly object: string;
}

type Answer = { readonly asked: Asked; readonly may: readonly string[]; readonly not: readonly string[] };

/** "May alice sync this?", by the policy that the server itself decides by. */
export function EffectiveRights({ project }: { project: string }) {
  return (
    <Rightful right={{ resource: "accounts", action: "get", object: "*" }}>
      <h2>Who may what</h2>
      <RightsForm project={project} />
    </Rightful>
  );
}

function RightsForm({ project }: { project: string }) {
  const [kind, setKind] = useState<SubjectKind>("account");
  const [answer, setAnswer] = useState<Answer>();
  const [failure, setFailure] = useState<unknown>();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? "").trim();
    const asked = { kind, subject: text("subject"), object: `${project}/${text("application") || "*"}` };
    setFailure(undefined);
    setAnswer(undefined);
    try {
      const allowed = await askRightsOf(
        kind,
        asked.subject,
        actions.map((action) => rightFor(action, asked.object)),
      );
      const those = (may: boolean) => actions.filter((_, index) => (allowed[index] ?? false) === may);
      setAnswer({ asked, may: those(true), not: those(false) });
    } catch (problem) {
      setFailure(problem);
    }
  };
  return (
    <>
      <form className="rights-form" onSubmit={submit}>
        <label className="field">
          <span>Who</span>
          <select value={kind} onChange={(event) => setKind(kindOf(event.target.value))}>
            {subjectKinds.map((one) => (
              <option key={one} value={one}>
                {words[one]}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          <span>Name</span>
          <input name="subject" required autoComplete="off" placeholder={hints[kind](project)} />
        </label>
        <label className="field">
          <span>Application</span>
          <input name="application" autoComplete="off" placeholder="all of the project" />
        </label>
        <Button type="submit">Ask</Button>
      </form>
      {failure !== undefined && <Problem title="What they may do is not known" failure={failure} />}
      {answer && <Answered {...answer} />}
    </>
  );
}

const hints: Record<SubjectKind, (project: string) => string> = {
  account: () => "alice",
  role: (project) => `proj:${project}:ci`,
  user: () => "as tokens name them",
  group: () => "team-a",
};

const kindOf = (value: string): SubjectKind => subjectKinds.find((kind) => kind === value) ?? "account";

function Answered({ asked: { subject, object }, may, not }: Answer) {
  return (
    <div role="status">
      <p>
        <Glyph name={may.length > 0 ? "check" : "cross"} tone={may.length > 0 ? "good" : "bad"} />{" "}
        <strong>{subject}</strong> may {may.length > 0 ? may.join(", ") : "do nothing with"}{" "}
        <code>{object}</code>
      </p>
      {may.length > 0 && not.length > 0 && <p className="dim">and not {not.join(", ")}</p>}
    </div>
  );
}
