import {
  type AccessProject,
  createEnforcer,
  type Policy,
  parsePolicy,
  projectOfQuestion,
  readProjectPolicy,
} from "@capstan/engine";
import type { Batch } from "./generate.ts";

export interface Answered {
  /** Whether the policy as a whole can be read. */
  readonly valid: boolean;
  readonly answers: readonly boolean[];
  readonly policy: Policy;
}

/** As the API server asks. Whether a user is an identity provider's is nothing that Argo CD looks at. */
export function askOurs({ csv, matchMode, defaultRole, noBuiltin, projects, questions }: Batch): Answered {
  const policy = parsePolicy([{ name: "policy.csv", text: csv }], matchMode);
  const enforcer = createEnforcer({ policy, defaultRole, matchMode, withoutBuiltin: noBuiltin });
  const known = new Map<string, AccessProject>(
    projects.map(({ name, roles }) => {
      const project = {
        apiVersion: "argoproj.io/v1alpha1",
        kind: "AppProject",
        metadata: { name },
        spec: { roles },
      } as const;
      return [
        name,
        { name, policy: readProjectPolicy({ ...project, spec: { roles: [...roles] } }, matchMode) },
      ];
    }),
  );
  const answers = questions.map(({ claims, groups, ...question }) => {
    if (!claims) return enforcer.allowsName(question);
    const project = known.get(projectOfQuestion(question) ?? "");
    return enforcer.allows({ ...question, groups, isForeign: false, project });
  });
  return { valid: !policy.problems.some(({ isUnreadable }) => isUnreadable), answers, policy };
}
