import { paths } from "../paths.ts";
import { logout } from "../queries/session.ts";
import { goTo } from "../url-state.ts";
import { tellFailure } from "./notices.tsx";

export async function leave(): Promise<void> {
  try {
    if (await logout()) goTo(paths.login());
  } catch (failure) {
    tellFailure("Could not sign out", failure);
  }
}
