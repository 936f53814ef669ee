import type { Api } from "../../api.ts";

export const accountFlag = {
  account: { kind: "string", short: "a", help: "Account; the own one unless it is given", value: "NAME" },
} as const;

/** The account that is meant: that of the login where none is named. */
export async function accountOf(api: Api, given: string | undefined): Promise<string> {
  return given || ((await api.call("getUserInfo", {})).username ?? "");
}
