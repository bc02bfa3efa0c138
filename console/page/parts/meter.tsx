// Shows as a bar how much of a limit is used; the figures are beside it in words.

export function Meter({ used, of }: { used: number; of: number }) {
  const share = of <= 0 ? 1 : Math.min(1, used / of);
  return (
    <svg
      class={`meter ${share >= 1 ? 'full' : share >= 0.8 ? 'near' : ''}`}
      viewBox="0 0 100 6"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <rect width={share * 100} height="6" rx="1" />
    </svg>
  );
}
