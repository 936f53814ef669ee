import {
  type GitAnswer,
  type GitQuestion,
  type PermittedSource,
  permitSharedSource,
  permitSource,
} from "@capstan/engine";
import { permittedRepository } from "@capstan/kube";
import { type ApplicationSet, CapstanError, messageOf } from "@capstan/model";
import type { AskFreshness, AskNeeds } from "./ask-needs.ts";

/**
 * What a repository holds, read with the credentials of the set's project, which has to permit it. Rejects only where
 * the signal is aborted: that nothing can be told is an answer, which fails the set.
 */
export async function askGit(
  needs: AskNeeds,
  { set, question, freshness }: { set: ApplicationSet; question: GitQuestion; freshness: AskFreshness },
  signal: AbortSignal,
): Promise<GitAnswer> {
  const { repo, settings } = needs;
  const { repoURL, revision, directories, files } = question;
  const { params } = settings.current;
  try {
    const repository = permittedRepository(settings.current, permitFor(needs, set, repoURL));
    const answer = await repo.readGitContent(
      {
        repository,
        source: { repoURL, targetRevision: revision || "HEAD" },
        ...freshness,
        ...(directories ? { directories } : {}),
        ...(files ? { files } : {}),
        ...(params["reposerver.include.hidden.directories"] === "true" ? { hidden: true } : {}),
        ...(params["applicationsetcontroller.enable.new.git.file.globbing"] === "true"
          ? { doublestar: true }
          : {}),
      },
      signal,
    );
    return {
      ...(answer.directories ? { directories: answer.directories } : {}),
      ...(answer.files ? { files: answer.files } : {}),
    };
  } catch (error) {
    signal.throwIfAborted();
    return { problem: `${repoURL}: ${messageOf(error)}` };
  }
}

function permitFor(needs: AskNeeds, set: ApplicationSet, repoURL: string): PermittedSource {
  const { controlNamespace } = needs;
  const name = set.spec.template.spec.project || "default";
  if (!name.includes("{{")) {
    const project = needs.findProject(name);
    if (!project) throw new CapstanError({ code: "PROJECT_MISSING", project: name });
    return permitSource(project, { repoURL });
  }
  if ((set.metadata.namespace ?? controlNamespace) === controlNamespace) return permitSharedSource(repoURL);
  throw new CapstanError({
    code: "INVALID_ARGUMENT",
    field: "spec.template.spec.project",
    problem: `is a template: outside of the namespace ${controlNamespace} a set with a git generator names its project, with whose rights the repository is read`,
  });
}
