/** Who asks, as authentication found out (authentication.k8s.io UserInfo). */
export interface User {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const adminUser: User = {
  username: "kubernetes-admin",
  groups: ["system:masters", "system:authenticated"],
};

export const anonymousUser: User = { username: "system:anonymous", groups: ["system:unauthenticated"] };
