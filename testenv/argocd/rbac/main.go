// argocd-rbac answers for Argo CD's own packages util/rbac and server/rbacpolicy, put together as argocd-server puts
// them: a policy with requests a line of standard input (compat/rbac/generate.ts), an answer a line of standard
// output. With "repeat", requests are asked again so often, for what a check costs once its answer is kept.
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"runtime"
	"time"

	"github.com/golang-jwt/jwt/v5"
	log "github.com/sirupsen/logrus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	applister "github.com/argoproj/argo-cd/v3/pkg/client/listers/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/server/rbacpolicy"
	"github.com/argoproj/argo-cd/v3/util/assets"
	"github.com/argoproj/argo-cd/v3/util/rbac"
)

const namespace = "argocd"

type request struct {
	CSV         string     `json:"csv"`
	NoBuiltin   bool       `json:"noBuiltin"`
	DefaultRole string     `json:"defaultRole"`
	MatchMode   string     `json:"matchMode"`
	Projects    []project  `json:"projects"`
	Questions   []question `json:"questions"`
	Repeat      int        `json:"repeat"`
}

type project struct {
	Name  string                 `json:"name"`
	Roles []v1alpha1.ProjectRole `json:"roles"`
}

type question struct {
	Subject  string   `json:"subject"`
	Groups   []string `json:"groups"`
	Claims   bool     `json:"claims"`
	Resource string   `json:"resource"`
	Action   string   `json:"action"`
	Object   string   `json:"object"`
}

type answer struct {
	Valid   bool   `json:"valid"`
	Answers []bool `json:"answers"`
	// Microseconds: of reading the policy, and of a check the first time and again.
	CompileUs float64 `json:"compileUs"`
	CheckUs   float64 `json:"checkUs"`
	CachedUs  float64 `json:"cachedUs"`
	// What the policy takes of the heap.
	Bytes uint64 `json:"bytes"`
}

func newEnforcer(asked request) (*rbac.Enforcer, error) {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	for _, one := range asked.Projects {
		object := &v1alpha1.AppProject{
			ObjectMeta: metav1.ObjectMeta{Name: one.Name, Namespace: namespace},
			Spec:       v1alpha1.AppProjectSpec{Roles: one.Roles},
		}
		if err := indexer.Add(object); err != nil {
			return nil, err
		}
	}
	enforcer := rbac.NewEnforcer(nil, namespace, "argocd-rbac-cm", nil)
	enforcer.SetMatchMode(asked.MatchMode)
	enforcer.SetDefaultRole(asked.DefaultRole)
	if !asked.NoBuiltin {
		if err := enforcer.SetBuiltinPolicy(assets.BuiltinPolicyCSV); err != nil {
			return nil, err
		}
	}
	lister := applister.NewAppProjectLister(indexer).AppProjects(namespace)
	enforcer.SetClaimsEnforcerFunc(rbacpolicy.NewRBACPolicyEnforcer(enforcer, lister).EnforceClaims)
	return enforcer, enforcer.SetUserPolicy(asked.CSV)
}

func (one question) askedOf(enforcer *rbac.Enforcer) bool {
	if !one.Claims {
		return enforcer.Enforce(one.Subject, one.Resource, one.Action, one.Object)
	}
	groups := make([]any, len(one.Groups))
	for at, group := range one.Groups {
		groups[at] = group
	}
	claims := jwt.MapClaims{"sub": one.Subject, "groups": groups}
	return enforcer.Enforce(claims, one.Resource, one.Action, one.Object)
}

func heap() uint64 {
	var now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&now)
	return now.HeapAlloc
}

func microsecondsSince(started time.Time, count int) float64 {
	return float64(time.Since(started).Microseconds()) / float64(max(count, 1))
}

func play(asked request) answer {
	var before uint64
	if asked.Repeat > 0 {
		before = heap()
	}
	started := time.Now()
	enforcer, err := newEnforcer(asked)
	if err != nil {
		return answer{}
	}
	given := answer{Valid: true, CompileUs: microsecondsSince(started, 1)}
	if asked.Repeat > 0 {
		given.Bytes = heap() - before
	}
	count := len(asked.Questions)
	started = time.Now()
	for _, one := range asked.Questions {
		given.Answers = append(given.Answers, one.askedOf(enforcer))
	}
	given.CheckUs = microsecondsSince(started, count)
	started = time.Now()
	for round := 0; round < asked.Repeat; round++ {
		for _, one := range asked.Questions {
			one.askedOf(enforcer)
		}
	}
	given.CachedUs = microsecondsSince(started, count*asked.Repeat)
	return given
}

func main() {
	log.SetLevel(log.PanicLevel)
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := json.NewEncoder(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var asked request
		if err := json.Unmarshal(line, &asked); err != nil {
			panic(err)
		}
		if err := out.Encode(play(asked)); err != nil {
			panic(err)
		}
	}
}
