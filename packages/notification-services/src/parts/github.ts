import { boolean, list, object, optional, type Static, string } from "@capstan/model/shapes";
import type { GithubCheckRun, GithubDeployment } from "../notification.ts";
import { definePart, replaceTexts, type TextOf, type Vars } from "../template/part.ts";

const deployment = object({
  state: optional(string()),
  environment: optional(string()),
  environmentURL: optional(string()),
  logURL: optional(string()),
  requiredContexts: optional(list(string())),
  autoMerge: optional(boolean()),
  transientEnvironment: optional(boolean()),
  reference: optional(string()),
});
const checkRun = object({
  name: optional(string()),
  details_url: optional(string()),
  status: optional(string()),
  conclusion: optional(string()),
  started_at: optional(string()),
  completed_at: optional(string()),
  output: optional(
    object({ title: optional(string()), summary: optional(string()), text: optional(string()) }),
  ),
});
const schema = object({
  repoURLPath: optional(string()),
  revisionPath: optional(string()),
  status: optional(
    object({ state: optional(string()), label: optional(string()), targetURL: optional(string()) }),
  ),
  deployment: optional(deployment),
  pullRequestComment: optional(object({ content: optional(string()), commentTag: optional(string()) })),
  checkRun: optional(checkRun),
  repositoryDispatch: optional(
    object({ event_type: optional(string()), client_payload: optional(string()) }),
  ),
});

/** Where a template does not say (pkg/services/github.go). */
const defaults = {
  repoURL: "{{.app.spec.source.repoURL}}",
  revision: "{{.app.status.operationState.syncResult.revision}}",
};

export const githubPart = definePart({
  key: "github",
  schema,
  compile(given, textOf) {
    const about = {
      repoURL: given.repoURLPath || defaults.repoURL,
      revision: given.revisionPath || defaults.revision,
    };
    const where = replaceTexts(about, ["repoURL", "revision"], textOf);
    const { status, pullRequestComment: comment, repositoryDispatch: dispatch } = given;
    const printStatus = status && replaceTexts(status, ["state", "label", "targetURL"], textOf);
    const printDeployment = given.deployment && compileDeployment(given.deployment, textOf);
    const content = comment && textOf(comment.content);
    const printRun = given.checkRun && compileCheckRun(given.checkRun, textOf);
    const printDispatch = dispatch && replaceTexts(dispatch, ["event_type", "client_payload"], textOf);
    return (vars, earlier) => ({
      ...earlier,
      ...where(vars),
      ...(printStatus && { status: printStatus(vars) }),
      ...(printDeployment && { deployment: printDeployment(vars) }),
      ...(content && {
        pullRequestComment: { content: content(vars), commentTag: comment.commentTag ?? "" },
      }),
      ...(printRun && { checkRun: printRun(vars) }),
      ...(printDispatch && { repositoryDispatch: printDispatch(vars) }),
    });
  },
});

function compileDeployment(
  given: Static<typeof deployment>,
  textOf: TextOf,
): (vars: Vars) => GithubDeployment {
  const names = ["state", "environment", "environmentURL", "logURL", "reference"] as const;
  const texts = replaceTexts(given, names, textOf);
  const { requiredContexts, autoMerge = true, transientEnvironment = false } = given;
  return (vars) => ({ ...texts(vars), requiredContexts, autoMerge, transientEnvironment });
}

function compileCheckRun(given: Static<typeof checkRun>, textOf: TextOf): (vars: Vars) => GithubCheckRun {
  const names = ["name", "details_url", "status", "conclusion", "started_at", "completed_at"] as const;
  const texts = replaceTexts(given, names, textOf);
  const output = given.output && replaceTexts(given.output, ["title", "summary", "text"], textOf);
  return (vars) => ({ ...texts(vars), ...(output && { output: output(vars) }) });
}
