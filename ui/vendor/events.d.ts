// The types of what `events.entry.js` exports, as far as the pages use them.
export declare const createParser: (callbacks: {
  onEvent?: (event: { id: string | undefined; event: string | undefined; data: string }) => void;
  onRetry?: (ms: number) => void;
}) => { feed(text: string): void };
