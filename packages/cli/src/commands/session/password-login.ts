import type { Api } from "../../api.ts";
import { askUntilAnswered, readPassword } from "../../confirm.ts";
import type { Io } from "../../io.ts";

interface Given {
  readonly username: string | undefined;
  readonly password: string | undefined;
}

/** A token for a name and a password; who is not given is asked for, the password also from a pipe. */
export async function passwordLogin(api: Api, io: Io, given: Given): Promise<string> {
  const username = given.username || (await askUntilAnswered(io, "Username: "));
  const password = given.password || (await readPassword(io));
  return (await api.call("login", { username, password })).token;
}
