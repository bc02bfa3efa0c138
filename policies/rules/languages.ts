// Defines rules for messages in other languages: the same kinds of failures, by a thing and a nearby statement about it.

import { LIMITED, REFUSED, type RuleRow, type Wording } from './rule.ts';

/** Compiled only for a text that may be in another language, because this takes some milliseconds. */
function foreign(things: string, saying: string, alone?: string): Wording {
  let compiled: Record<'things' | 'saying', RegExp> | null = null;
  const lone = alone === undefined ? null : new RegExp(alone, 'i');
  const whole = (words: string) => new RegExp(`${EDGES[0]}(?:${words.replaceAll('\\S*', '\\S*?')})${EDGES[1]}`, 'gi');
  return {
    test(text) {
      if (!FOREIGN.test(text)) return false;
      if (lone?.test(text)) return true;
      compiled ??= { things: whole(things), saying: whole(saying) };
      return areNear(text, compiled.things, compiled.saying);
    },
    toString: () => [things, saying, alone ?? ''].join('; '),
  };
}

/** East Asian words may touch Latin letters and digits: `Coding Plan套餐已到期`. */
const UNSPACED = String.raw`[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]`;
const EDGES = [String.raw`(?:(?<![\w-])|(?=${UNSPACED}))`, String.raw`(?:(?![\w-])|(?<=${UNSPACED}))`] as const;

/** As `near`, but in linear time: East Asian words have no boundaries that would limit the search. */
function areNear(text: string, things: RegExp, saying: RegExp): boolean {
  const spans = (words: RegExp) => [...text.matchAll(words)].map(({ index, 0: word }) => [index, index + word.length]);
  const [first, second] = [spans(things), spans(saying)];
  return follows(text, first, second) || follows(text, second, first);
}

/** Whether one of the first is followed by one of the second within a sentence. Both are in the order of the text. */
function follows(text: string, first: readonly number[][], second: readonly number[][]): boolean {
  let next = 0;
  for (const [, end] of first) {
    while (next < second.length && second[next]![0]! < end!) next += 1;
    if (next === second.length) return false;
    const between = text.slice(end, second[next]![0]);
    if (between.length <= MOST_BETWEEN && !SENTENCE_END.test(between)) return true;
  }
  return false;
}

const MOST_BETWEEN = 70;
const SENTENCE_END = /[\n;。；！]|\.(?!\S)/;

const FOREIGN =
  /[À-ÖØ-öø-ſ\u0400-\u04ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]|\b(?:saldo|solicitud|guthaben|kontingent|modell|server ist|solde|trop de|limite\b|demasiad|muit[ao]s|nutzungs|longueur max|lunghezza max|dzienn|tygodniow|espacio en|spazio esaurito)/i;

/** Relays report a spent balance with any of these. */
const UNPAID = [...LIMITED, 401, 404, 500] as const;
const LOAD = ['none', 429, '5xx'] as const;

export const LANGUAGE_RULES = [
  {
    id: 'foreign-content',
    status: ['none', 400, 403, 422, 451],
    text: foreign(
      '内容|提示词|输入|输出|请求|コンテンツ|プロンプト|콘텐츠|프롬프트|contenido|conteúdo|contenu|inhalt',
      '敏感词?|违规|違規|不安全|色情|风控|不適切|ポリシー違反|유해한?|정책 위반|inapropiad[oa]|inadequado|inapproprié|unangemessen',
    ),
    class: 'contract_violation',
    reason: 'content_filter',
    proof: [{ message: '输入内容包含敏感词，请求被拒绝', status: 400 }],
  },
  {
    id: 'foreign-size',
    status: ['none', 400, 413, 422, 500],
    text: foreign(
      '上下文|输入(?:内容|长度)?|提示词|prompt|tokens?|请求体|コンテキスト(?:長)?|入力|プロンプト|컨텍스트|입력|프롬프트|contexto|contexte|contesto|kontext\\S*|eingabe|контекст\\S*',
      '过长|過長|超长|过大|超过(?:模型)?(?:最大|限制|上限)\\S*|超出(?:模型)?(?:最大|限制|上限)\\S*|長すぎ\\S*|上限を超え\\S*|너무 (?:깁|길|큽)\\S*|초과\\S*|demasiado larg[oa]|muito long[oa]|trop longue?|troppo lung[oa]|zu lang|longitud máxima|(?:comprimento|tamanho) máximo|(?:longueur|taille) maximale|lunghezza massima|maximale (?:kontext|eingabe)?länge|слишком (?:длин|больш)\\S*|превыша\\S*',
      '请压缩上下文',
    ),
    class: 'prompt_too_large',
    reason: 'over_limit',
    proof: [
      { message: '输入内容超过模型最大上下文长度限制', status: 400 },
      { message: 'La longitud máxima del contexto es de 128000 tokens.', status: 400 },
    ],
  },
  {
    id: 'foreign-period',
    status: LIMITED,
    text: foreign(
      '每[日天周月]|[今本当][日天周月]|毎[日月]|1日の|일일|오늘|주간|월간|diari[oa]|semanal|mensual|mensal|diário|t[äa]g(?:lich|es)\\S*|wochen\\S*|wöchentlich\\S*|monat\\S*|quotidien\\S*|journali\\S*|hebdomadaires?|mensuel\\S*|par (?:jour|semaine|mois)|por (?:día|dia|semana|mes|mês)|pro (?:tag|woche|monat)|giornalier[aio]|settimanal[ei]|mensil[ei]|al giorno|alla settimana|al mese|günlük|haftalık|aylık|dzienn\\S*|tygodniow\\S*|miesięczn\\S*|(?:дневн|недельн|месячн)\\S*',
      '(?:上限|限额|限額|额度|配额|次数)\\S*|用完|用尽|制限|한도\\S*|초과\\S*|límite|limit\\S*|cuota|cota|quotas?|kota\\S*|kontingent|erreicht|atteinte?|dépassée?|superat[oa]|esaurit[oa]|(?:лимит|квот)\\S*',
    ),
    class: 'quota',
    reason: 'period',
    proof: [
      { message: '今日免费额度已用完' },
      { message: 'Has alcanzado el límite diario', status: 429 },
      { message: 'Vous avez dépassé votre quota journalier.', status: 429 },
      { message: 'Hai superato il limite giornaliero di richieste.', status: 429 },
      { message: 'Günlük istek limitinizi aştınız.', status: 429 },
      { message: 'Przekroczono dzienny limit żądań.', status: 429 },
    ],
  },
  {
    id: 'foreign-balance',
    status: UNPAID,
    text: foreign(
      '余额|餘額|额度|額度|配额|资源包|积分|点数|残高|クレジット|チャージ|잔액|크레딧|포인트|saldo|créditos?|guthaben|kontingent|solde|crédits?|(?:баланс|средств|кредит)\\S*',
      '不足|不够|不夠|用尽|用盡|用完|耗尽|耗盡|失败|欠费|足りません|ありません|(?:부족|소진)\\S*|insuficientes?|agotad[oa]s?|esgotad[oa]s?|aufgebraucht|erschöpft|reicht|niedrig|insuffisante?s?|épuisée?s?|недостаточно|(?:исчерпан|законч)\\S*',
      '欠费|请(?:及时|先)?充值|請(?:先)?儲值|チャージしてください|충전해',
    ),
    class: 'quota',
    reason: 'balance',
    proof: [
      { message: '余额不足或无可用资源包,请充值。', status: 429, code: '1113' },
      { message: 'Ihr Guthaben ist aufgebraucht.', status: 403 },
    ],
  },
  {
    id: 'foreign-usage',
    status: LIMITED,
    text: foreign(
      '使用上限|用量上限|使用限额|使用额度|套餐|订阅|利用上限|利用制限|使用制限|사용량|사용 한도|límite de uso|limite de uso|nutzungs(?:limit|grenze)|limite d.utilisation|лимит использования',
      '达到|已达\\S*|用完|到期|过期|未开放|不包含|超出|超过|達しました|到達\\S*|超え\\S*|(?:도달|초과)\\S*|한도\\S*|alcanzad[oa]|excedid[oa]|atingid[oa]|erreicht|überschritten|atteinte?|dépassée?|(?:достигнут|превышен|исчерпан)\\S*',
    ),
    class: 'quota',
    reason: 'plan',
    proof: [
      { message: '已达到 5 小时的使用上限。', status: 429, code: '1308' },
      { message: '您的Coding Plan套餐已到期，暂无法使用', status: 429, code: '1309' },
      { message: 'Nutzungslimit erreicht.' },
    ],
  },
  {
    id: 'foreign-rate-long',
    status: ['none', 403, 429],
    wait: 'long',
    text: foreign(
      '频繁|頻繁|限流|限额|上限|制限|한도|límite|limite|limit|лимит',
      '[后後内]|あと|후|dentro|en|em|dans|in|через',
    ),
    class: 'quota',
    reason: 'long_reset',
    proof: [{ message: '请求过于频繁，请在 2 小时后重试', status: 429 }],
  },
  {
    id: 'foreign-rate',
    status: ['none', 403],
    text: foreign(
      '请求(?:数|频率)?|請求|访问|调用|频率|速率|并发(?:数)?|リクエスト|アクセス|요청(?:이)?|호출|solicitudes|peticiones|solicitações|requisições|requêtes|anfragen|запрос\\S*',
      '过?于?频繁|過?於?頻繁|过多|過多|过快|过高|超限|超过\\S*|超出\\S*|上限|限制\\S*|太多|多すぎ\\S*|너무 많\\S*|초과\\S*|demasiad[oa]s|muit[ao]s|trop de|zu viele|слишком много',
      '限流|速率限制|频率限制|レート制限|속도 제한|demasiadas solicitudes|trop de requêtes',
    ),
    class: 'transient',
    reason: 'rate_limit',
    proof: [{ message: '请求过于频繁，请稍后再试' }, { message: 'Trop de requêtes.' }],
  },
  {
    id: 'foreign-model',
    status: ['none', 400, 403, 404, 410, 422, 503],
    text: foreign(
      '模型|モデル\\S?|모델\\S?|modelo|modèle|modell|модел\\S*',
      '不存在|未找到|找不到|已?下线|已?停用|已?废弃|不可用|不支持|无可用渠道|存在しません|見つかりません|利用できません|サポートされ\\S*|존재하지|찾을 수|지원하지|사용할 수 없\\S*|no existe|no encontrado|no disponible|não existe|não encontrado|não disponível|n.existe pas|introuvable|indisponible|nicht gefunden|nicht verfügbar|existiert nicht|не найден\\S*|недоступ\\S*|не существует',
    ),
    class: 'tooling',
    reason: 'model_not_found',
    proof: [
      { message: '模型不存在，请检查模型代码。', status: 400, code: '1211' },
      { message: '当前分组 default 下对于模型 m 无可用渠道', status: 503 },
    ],
  },
  {
    id: 'foreign-closed',
    status: REFUSED,
    text: foreign(
      '账号|账户|帳號|帳戶|用户|用戶|组织|アカウント|계정\\S?|cuenta|conta|compte|konto|аккаунт\\S*',
      '(?:封禁|禁用|停用|冻结|凍結|注销)|停止され\\S*|(?:정지|차단)\\S*|suspendid[oa]|bloquead[oa]|desactivad[oa]|desativad[oa]|suspendue?|désactivée?|gesperrt|deaktiviert|заблокирован\\S*',
      '无权|無權|没有权限|沒有權限|权限不足|未授权|権限がありません|권한이 없|(?<!/\\S{0,300}: )keine berechtigung|доступ запрещ',
    ),
    class: 'auth',
    reason: 'not_authorised',
    proof: [
      { message: '用户已被封禁', status: 403 },
      { message: '该令牌无权访问模型 m', status: 403 },
    ],
  },
  {
    id: 'foreign-key',
    status: REFUSED,
    text: foreign(
      '令牌(?:状态)?|密钥|密鑰|api ?key|token|凭证|鉴权|认证|認證|身份验证|キー|認証|apiキー|api ?키|키|인증\\S?|clave(?: de api)?|llave|chave|clé(?: api)?|jeton|api-?schlüssel|schlüssel|(?:api-)?(?:токен|ключ)\\S*',
      '无效的?|無效|失效|已?过期|过期|错误|不正确|验证不正确|不存在|失败|不可用|未提供|が?無効\\S*|期限切れ|失敗|유효하지|만료\\S*|잘못된?|실패\\S*|no válid[ao]|inválid[ao]|caducad[ao]|expirad[ao]|invalide|expirée?|ungültig|abgelaufen|(?:неверн|недействител)\\S*|ист[её]к\\S*',
      '请(?:先|重新)登录|未登录|ログインしてください|로그인이 필요',
    ),
    class: 'auth',
    reason: 'bad_credentials',
    proof: [{ message: '无效的令牌', status: 401 }, { message: 'APIキーが無効です' }],
  },
  {
    id: 'foreign-load',
    status: LOAD,
    text: foreign(
      '负载|负荷|服务器?|系统|渠道|通道|账户池|サーバー?|サービス|서버\\S?|서비스\\S?|servidor|serveur|server|сервер\\S*',
      '已?饱和|飽和|繁忙|过载|拥挤|不可用|维护中?|過負荷|混雑|混み合\\S*|利用できません|과부하|혼잡\\S*|점검|sobrecargad[oa]|ocupad[oa]|surchargé|überlastet|ausgelastet|перегружен\\S*|недоступ\\S*',
      '访问量过大|負荷が高',
    ),
    class: 'transient',
    reason: 'overloaded',
    proof: [{ message: '当前分组上游负载已饱和，请稍后再试' }, { message: 'Der Server ist überlastet.' }],
  },
  {
    id: 'foreign-network',
    status: ['none'],
    text: foreign(
      '网络|網路|连接|連線|上游(?:服务|地址)?|ネットワーク|接続|네트워크|연결\\S?|conexión|conexão|connexion|verbindung|соединени\\S*',
      '错误|錯誤|异常|失败|超时|逾時|断开|中断|エラー|失敗|切断|タイムアウト|오류\\S*|실패\\S*|끊\\S*|perdida|rechazada|recusada|perdue|refusée|abgebrochen|fehlgeschlagen|потеряно|сброшено',
      '请求超时|连接超时|タイムアウトしました|시간 초과|tiempo de espera agotado|délai dépassé|zeitüberschreitung',
    ),
    class: 'transient',
    reason: 'network',
    proof: [{ message: '网络错误，请联系客服。' }],
  },
] as const satisfies readonly RuleRow[];

/** What the C library and the shells print in the user's language. */
export const LANGUAGE_MACHINE_RULES = [
  {
    // After a path: a service writes similar words about the caller.
    id: 'foreign-permission',
    status: ['none'],
    needs: [
      'berechtigung',
      'accordée',
      'denegado',
      'negad',
      'negat',
      'отказано',
      'brak dost',
      '权限不够',
      '許可',
      '허가',
    ],
    text: /\/\S{1,300}[:：]\s?(?:keine berechtigung|permission non accordée|permiso denegado|permissão negada|permesso negato|отказано в доступе|brak dostępu|权限不够|許可がありません|허가 거부)/i,
    class: 'tooling',
    reason: 'permission',
    proof: [{ message: 'bash: /srv/app/x: Keine Berechtigung' }, { message: 'bash: /srv/app/x: 权限不够' }],
  },
  {
    id: 'foreign-binary',
    status: ['none'],
    text: /[:：]\s?(?:(?:kommando|befehl) nicht gefunden|commande introuvable|orden no encontrada|comando (?:no|não|non) (?:encontrado|trovato)|команда не найдена|nie znaleziono polecenia|未找到命令|コマンドが見つかりません|(?:명령어?를|명령을) 찾을 수 없)|\benv: [^\n]{0,60}(?:nicht gefunden|aucun fichier|no existe|inexistente|non esistente|нет такого|nie ma|没有那个|ありません|없)/i,
    class: 'tooling',
    reason: 'binary_missing',
    proof: [{ message: 'bash: ligne 1: codex : commande introuvable' }, { message: 'bash: codex：未找到命令' }],
  },
  {
    id: 'foreign-missing-file',
    status: ['none'],
    text: /\bdatei oder verzeichnis nicht gefunden|\baucun fichier ou dossier de ce|\bno existe el (?:fichero|archivo) o el directorio|\b(?:arquivo|ficheiro) ou (?:diretório|directoria) inexistente|\bfile o directory non esistente|нет такого файла или каталога|\bnie ma takiego pliku|没有那个文件或目录|そのようなファイルやディレクトリはありません|그런 파일이나 디렉터리가 없/i,
    class: 'tooling',
    reason: 'missing_file',
    proof: [{ message: 'bash: /srv/app/x: Datei oder Verzeichnis nicht gefunden' }],
  },
  {
    id: 'foreign-disk',
    status: ['none'],
    text: foreign(
      '设备上?|磁盘|デバイス\\S?|장치\\S?|dispositivo|périphérique|gerät|устройств\\S*|dysk\\S*|urządzeni\\S*',
      '没有空间|空间不足|已满|空き領域\\S*|남은 공간|espacio|espaço|espace|spazio|speicherplatz|свободного места|miejsca',
    ),
    class: 'tooling',
    reason: 'disk_full',
    proof: [
      { message: 'bash: На устройстве не осталось свободного места' },
      { message: 'fatal: Auf dem Gerät ist kein Speicherplatz mehr verfügbar' },
    ],
  },
] as const satisfies readonly RuleRow[];
