import { prepareServiceAccount } from "../../schema/prepare.ts";
import type { Kind } from "../kind.ts";

export const serviceAccount: Kind = {
  group: "",
  resource: "serviceaccounts",
  prepare: prepareServiceAccount,
  deletion: {
    answersObject: true,
  },
};
