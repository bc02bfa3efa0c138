// The frame of all views: the rail, what is wrong with the link, and the view.

import { linkState } from '../live/link.ts';
import { Empty } from '../parts/empty.tsx';
import { Keys } from './keys.tsx';
import { Rail } from './rail.tsx';
import { route } from './route.ts';
import { View } from './view.tsx';
import { VIEWS } from './views.ts';

export function Frame() {
  return (
    <>
      <button type="button" class="skip" onClick={toView}>
        Skip to the view
      </button>
      <div class="frame">
        <Rail />
        <main id="view" class="view" tabIndex={-1}>
          <LinkNotice />
          <Shown />
        </main>
      </div>
      <Keys />
    </>
  );
}

function Shown() {
  const id = route.value.parts[0] ?? 'now';
  const name = VIEWS.find((view) => view.id === id)?.name;
  document.title = `${name ?? 'No such view'} · Tollgate`;
  return (
    <View title={name ?? 'No such view'}>
      <Empty title="Nothing here yet" />
    </View>
  );
}

function toView(): void {
  document.querySelector<HTMLElement>('#view')?.focus();
}

function LinkNotice() {
  const link = linkState.value;
  if (link.how !== 'gone') return null;
  return (
    <div class="notice bad" role="alert">
      <b>{link.what}</b>
      <p class="soft">{link.wayOut}</p>
    </div>
  );
}
