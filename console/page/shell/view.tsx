// One view: its heading, what belongs beside it, and its sheet; the heading has the focus when somebody comes to it.

import { type ComponentChildren, useEffect, useRef } from '../reactive.ts';

export function View({
  title,
  about,
  aside,
  crumbs,
  children,
}: {
  title: ComponentChildren;
  about?: ComponentChildren;
  aside?: ComponentChildren;
  crumbs?: ComponentChildren;
  children: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // Not at the very first, where nobody has gone anywhere, nor while somebody writes.
    if (cameFromElsewhere && !document.activeElement?.matches('input, textarea')) heading.current?.focus();
    cameFromElsewhere = true;
  }, []);
  return (
    <>
      <header class="view-head">
        <div>
          {crumbs && <div class="crumbs">{crumbs}</div>}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {about && <p>{about}</p>}
        </div>
        {aside && <div class="buttons">{aside}</div>}
      </header>
      {children}
    </>
  );
}

let cameFromElsewhere = false;
