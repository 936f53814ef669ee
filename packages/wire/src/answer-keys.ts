import type { ManifestRequest, ManifestResponse } from "./repo-server.ts";

type Resolved = "revision" | "refRevisions" | "askedAt" | "meaning";

/** Of an answer: where one of both is the same, the manifests are the same. */
export interface AnswerKey {
  /** Stands for the commit, the request, and what is installed. */
  id: string;
  /** Stands for what the manifests are made from, whatever the commit. */
  inputs: string;
}

export interface IdentifyRequest extends ManifestRequest {
  /** An earlier answer, which it may be again. */
  known: AnswerKey;
}

export interface AnswerIdentity extends Pick<ManifestResponse, Resolved> {
  id: string;
  /** Where the id is another one and the inputs are found to be those of the known answer. */
  inputs?: string;
}
