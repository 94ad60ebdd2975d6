// What the pages use of eventsource-parser.
export { createParser } from "eventsource-parser";
