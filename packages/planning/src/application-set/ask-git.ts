import {
  type GitAnswer,
  type GitQuestion,
  permitSharedSource,
  permitSource,
  signatureDemand,
} from "@capstan/engine";
import { permittedRepository } from "@capstan/kube";
import {
  type ApplicationSet,
  type ApplicationSource,
  type AppProject,
  CapstanError,
  messageOf,
  type Repository,
} from "@capstan/model";
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
  const source = { repoURL, targetRevision: revision || "HEAD" };
  try {
    const project = findOwnProject(needs, set);
    const permit = project ? permitSource(project, source) : permitSharedSource(repoURL);
    const repository = permittedRepository(settings.current, permit);
    const answer = await repo.readGitContent(
      {
        repository,
        source,
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
    const [unverified] = await problemsOf(needs, { project, repository, source, ...answer }, signal);
    if (unverified !== undefined) return { problem: `${repoURL}: GIT/GPG: ${unverified}` };
    return {
      ...(answer.directories ? { directories: answer.directories } : {}),
      ...(answer.files ? { files: answer.files } : {}),
    };
  } catch (error) {
    signal.throwIfAborted();
    return { problem: `${repoURL}: ${messageOf(error)}` };
  }
}

interface Read {
  project: AppProject | undefined;
  repository: Repository;
  source: ApplicationSource;
  /** The commit that was read. */
  revision: string;
}

/**
 * What of the signatures is not as the project of the template demands. Where that is a template itself, what is read
 * says whose project it is: nothing is verified but the sources of the applications that come of it
 * (applicationset/generators/git.go GenerateParams).
 */
async function problemsOf(
  { repo, settings }: AskNeeds,
  { project, repository, source, revision }: Read,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { keyring } = settings.current.general;
  const demand = project && keyring ? signatureDemand(project, source) : undefined;
  if (!demand || !keyring) return [];
  if (demand.problem !== undefined) return [demand.problem];
  return repo.verifySignatures({ repository, source, revision, demand, keyring }, signal);
}

/** The project with whose rights the repository is read; undefined where it is read as one of all projects. */
function findOwnProject(needs: AskNeeds, set: ApplicationSet): AppProject | undefined {
  const { controlNamespace } = needs;
  const name = set.spec.template.spec.project || "default";
  if (!name.includes("{{")) {
    const project = needs.findProject(name);
    if (!project) throw new CapstanError({ code: "PROJECT_MISSING", project: name });
    return project;
  }
  if ((set.metadata.namespace ?? controlNamespace) === controlNamespace) return undefined;
  throw new CapstanError({
    code: "INVALID_ARGUMENT",
    field: "spec.template.spec.project",
    problem: `is a template: outside of the namespace ${controlNamespace} a set with a git generator names its project, with whose rights the repository is read`,
  });
}
