import { paths } from "../paths.ts";
import { logout } from "../queries/session.ts";
import { tellFailure } from "./notices.tsx";

export async function leave(goTo: (href: string) => void): Promise<void> {
  try {
    if (await logout()) goTo(paths.login());
  } catch (failure) {
    tellFailure("Could not sign out", failure);
  }
}
