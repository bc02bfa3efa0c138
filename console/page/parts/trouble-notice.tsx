// Shows a problem and its way out, and announces both to screen readers; the actions are below.

import type { Trouble } from '../live/ask.ts';
import type { ComponentChildren } from '../reactive.ts';
import { Words } from '../text/words.tsx';
import { Countdown } from './times.tsx';

interface TroubleNoticeProps {
  of: Pick<Trouble, 'what' | 'wayOut'>;
  children?: ComponentChildren;
}

export function TroubleNotice({ of: { what, wayOut }, children }: TroubleNoticeProps) {
  return (
    <div class="notice bad">
      <div role="alert">
        <b>
          <Words of={what} />
        </b>
        {wayOut && (
          <p class="soft">
            <Words of={wayOut} />
          </p>
        )}
      </div>
      {children}
    </div>
  );
}

/** Shown beside the button that repeats the request at once; not read aloud each second. */
export function AskedAgain({ at }: { at: string | null }) {
  if (at === null) return null;
  return (
    <span class="dim">
      Retried automatically in <Countdown to={at} />.
    </span>
  );
}
