import { ExitError } from "../../command.ts";
import { askLine } from "../../confirm.ts";
import type { Io } from "../../io.ts";

/** A password that nobody has yet: typed twice. */
export async function readNewPassword(io: Io, account: string): Promise<string> {
  const first = await askLine(io, `*** Enter new password for user ${account}: `, { hidden: true });
  const again = await askLine(io, `*** Confirm new password for user ${account}: `, { hidden: true });
  if (first !== again) throw new ExitError("Passwords do not match", 20);
  return first;
}
