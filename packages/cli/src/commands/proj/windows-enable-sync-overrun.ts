import { defineWindowSwitch } from "./windows.ts";

export default defineWindowSwitch(
  "Permit that a sync goes on which began before a window forbade it.",
  "syncOverrun",
  true,
);
