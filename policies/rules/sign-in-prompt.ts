// Recognises a CLI's prompts for a sign-in: in a call without a terminal, no user answers them.

/** Pages and codes with which a user confirms a sign-in elsewhere. */
const CODES = [
  String.raw`\b(?:enter|type|paste|copy|input) (?:the |your |this |in )*(?:one-time |authori[sz]ation |authentication |auth |verification |device |login |sign-in |user |pairing )?code\b`,
  String.raw`\bone-time code\b`,
  String.raw`\/login\/device\b|\/devicelogin\b|\/device\/?(?:code|activate|login)?\b[^\n]{0,60}\bcode\b|\bdevice (?:code|authori[sz]ation)\b[^\n]{0,40}(?:[:]|https?:)`,
  String.raw`请[^\n]{0,20}(?:访问|打开)[^\n]{0,200}(?:授权|登录|认证)|(?:输入|粘贴)[^\n]{0,12}(?:授权码|验证码|设备码)`,
].join('|');

const PAGES = [
  String.raw`\b(?:visit|open|go to|navigate to|browse to|follow) (?:the |this |that )?(?:following )?(?:url|link|address|page|site)\b[^\n]{0,80}\b(?:authori[sz]\w+|authenticat\w+|log ?in|sign ?in|browser)`,
  String.raw`\bto (?:authenticate|authori[sz]e|sign in|log in|continue signing in)\b[^\n]{0,40}\b(?:visit|open|go to|navigate to|use a web browser|follow)\b`,
  String.raw`\bopening (?:the |your |an? )?(?:authentication|authori[sz]ation|login|sign-?in) (?:page|url|link)\b|\b(?:attempting|trying) to open (?:the |your )?(?:authentication|authori[sz]ation|login|sign-?in) (?:page|url|link)\b`,
  String.raw`\bbrowser (?:did(?: not|n.t)|does(?: not|n.t)) open\b|\bopening (?:your |the |a )?(?:default )?browser\b[^\n]{0,40}\b(?:authenticat\w+|authori[sz]\w+|log ?in|sign ?in)`,
  String.raw`\bwaiting for (?:(?:you|the user) to (?:sign|log) ?in|(?:browser |user |device )?(?:authori[sz]ation|authentication|auth|sign-?in|login)\b(?! (?:server|service|header|token|provider)))`,
].join('|');

/** A question, and the form of its answer. */
const QUESTIONS = [
  String.raw`\b(?:select|choose|pick) (?:a |an |your |the )?(?:login|sign-?in|authentication|auth) (?:method|option|provider)\b|\bhow would you like to (?:authenticate|log in|sign in)\b`,
  String.raw`\bpress (?:enter|return|any key) to (?:open|continue|log ?in|sign ?in|authenticate)\b[^\n]{0,60}\b(?:browser|log ?in|sign ?in|authenticat\w+)`,
  String.raw`\b(?:enter|paste|type|provide) (?:your |an? |the )?(?:[\w-]+ ){0,2}(?:api[- ]key|token|password|passcode|passphrase|username|e-?mail(?: address)?)\b[^\n.]{0,40}[:?>]\s*$`,
  // Alone on its line: within a sentence, these words are not a question.
  String.raw`^[ \t>?*!-]{0,8}(?:(?:your|the) )?(?:passphrase|password|passcode|otp|(?:verification|authentication|authori[sz]ation|security|one-time|two-factor|2fa|mfa|otp|device|login|sign-in) code)(?: for [^\n:]{1,100})?[ \t]{0,3}[:>?][ \t]{0,8}$`,
  String.raw`\b(?:log|sign) in (?:now|to continue)\?|\bdo you want to (?:log|sign) in\b`,
  String.raw`\bunlock (?:your |the )?(?:login |default )?(?:keychain|keyring)\b`,
  String.raw`\b(?:keychain|keyring|credential (?:store|manager)|plain ?text)\b[^\n]{0,100}\?\s{0,2}[([](?:y(?:es)?\/n(?:o)?)[)\]]`,
].join('|');

export const SIGN_IN_PROMPT = new RegExp(`${CODES}|${PAGES}|${QUESTIONS}`, 'im');

/** Whether this line prompts the user to sign in to the CLI. Prompts of an MCP server do not count. */
export const asksToSignIn = (line: string): boolean =>
  line.length <= LONGEST && !/\bMCP\b/i.test(line) && SIGN_IN_PROMPT.test(line);

/** A question to a user is short. */
const LONGEST = 2000;
