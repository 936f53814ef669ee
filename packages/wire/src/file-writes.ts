import type { Repository } from "@capstan/model";

/** A commit that changes named values of named files of a git repository, and nothing else. */
export interface FileWriteRequest {
  /** With the credentials to push with. */
  readonly repository: Repository;
  /** The branch that is read; empty: the repository's default. */
  readonly base: string;
  /** The branch that is pushed, which begins at the base where it is not there yet; empty: the base. */
  readonly branch: string;
  readonly edits: readonly FileEdit[];
  readonly message: string;
  readonly author: { readonly name: string; readonly email: string };
  /** Whose signature the commit bears; absent: nobody's. */
  readonly signing?: CommitSigning | undefined;
}

/** A private key without a passphrase, armored, or as OpenSSH writes it. */
export interface CommitSigning {
  readonly method: "openpgp" | "ssh";
  readonly key: string;
}

/** Paths are relative to the repository. A file that none of its values changes is left as it is. */
export type FileEdit =
  /** `.argocd-source-….yaml`, made where it is not there: what it says of other images and parameters stays. */
  | {
      readonly kind: "source";
      readonly file: string;
      /** `[OLD=]NAME[:TAG][@DIGEST]`, as a kustomize source has them, each in place of one of the same old name. */
      readonly images: readonly { readonly image: string; readonly names: readonly string[] }[];
      readonly parameters: readonly { readonly name: string; readonly value: string }[];
      /** Variables of a plugin. */
      readonly env: readonly { readonly name: string; readonly value: string }[];
    }
  /** `images` of the kustomization in a folder. */
  | {
      readonly kind: "kustomization";
      readonly folder: string;
      readonly images: readonly {
        readonly name: string;
        readonly newName: string;
        readonly newTag: string;
        readonly digest: string;
      }[];
    }
  /** Values of a file of a chart: `web.image.tag`, `list[0].tag`, or a whole key with dots. */
  | {
      readonly kind: "values";
      readonly file: string;
      readonly values: readonly { readonly key: string; readonly value: string }[];
    };

export interface FilesWritten {
  /** Of the branch now; empty: there is none, and nothing to push to it. */
  readonly revision: string;
  readonly branch: string;
  /** The branch that was read, also where it was named by being the default. */
  readonly base: string;
  /** What was changed; none: everything stood there already, and nothing was pushed. */
  readonly files: readonly string[];
}
