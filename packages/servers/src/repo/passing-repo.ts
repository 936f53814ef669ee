import type { RepoServer, RevisionRequest } from "@capstan/wire";

/** What any call says of the repository that it means. */
export type AnyRequest = RevisionRequest | Pick<RevisionRequest, "repository">;

/** A repo server that passes on what it is asked: to whom, and how often, `ask` decides. */
export abstract class PassingRepo implements Omit<RepoServer, "forgetRevisions" | "listPlugins"> {
  generateManifests: RepoServer["generateManifests"] = (request, signal) =>
    this.ask(request, (repo) => repo.generateManifests(request, signal), signal);

  identifyAnswer: RepoServer["identifyAnswer"] = (request, signal) =>
    this.ask(request, (repo) => repo.identifyAnswer(request, signal), signal);

  explainRender: RepoServer["explainRender"] = (request, signal) =>
    this.ask(request, (repo) => repo.explainRender(request, signal), signal);

  describeSource: RepoServer["describeSource"] = (request, signal) =>
    this.ask(request, (repo) => repo.describeSource(request, signal), signal);

  resolveRevision: RepoServer["resolveRevision"] = (request, signal) =>
    this.ask(request, (repo) => repo.resolveRevision(request, signal), signal);

  fetchRevision: RepoServer["fetchRevision"] = (request, signal) =>
    this.ask(request, (repo) => repo.fetchRevision(request, signal), signal);

  revisionMetadata: RepoServer["revisionMetadata"] = (request, signal) =>
    this.ask(request, (repo) => repo.revisionMetadata(request, signal), signal);

  verifySignatures: RepoServer["verifySignatures"] = (request, signal) =>
    this.ask(request, (repo) => repo.verifySignatures(request, signal), signal);

  listRefs: RepoServer["listRefs"] = (request, signal) =>
    this.ask(request, (repo) => repo.listRefs(request, signal), signal);

  listCharts: RepoServer["listCharts"] = (request, signal) =>
    this.ask(request, (repo) => repo.listCharts(request, signal), signal);

  listApps: RepoServer["listApps"] = (request, signal) =>
    this.ask(request, (repo) => repo.listApps(request, signal), signal);

  readGitContent: RepoServer["readGitContent"] = (request, signal) =>
    this.ask(request, (repo) => repo.readGitContent(request, signal), signal);

  changedFiles: RepoServer["changedFiles"] = (request, signal) =>
    this.ask(request, (repo) => repo.changedFiles(request, signal), signal);

  writeFiles: RepoServer["writeFiles"] = (request, signal) =>
    this.ask(request, (repo) => repo.writeFiles(request, signal), signal);

  testRepository: RepoServer["testRepository"] = (request, signal) =>
    this.ask(request, (repo) => repo.testRepository(request, signal), signal);

  protected abstract ask<Answer>(
    request: AnyRequest | undefined,
    call: (repo: RepoServer) => Promise<Answer>,
    signal: AbortSignal,
  ): Promise<Answer>;
}
