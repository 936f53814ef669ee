import { isConflict } from "@capstan/kube";
import { CapstanError } from "@capstan/model";

const attempts = 10;

/**
 * What others change at the same time is read, changed and written anew until nobody has written in between. Throws
 * CONFLICT, of `what`, where somebody always has.
 */
export async function writeAnew<T>(what: string, readAndWrite: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await readAndWrite();
    } catch (error) {
      if (!isConflict(error)) throw error;
      if (attempt === attempts) throw new CapstanError({ code: "CONFLICT", what }, error);
    }
  }
}
